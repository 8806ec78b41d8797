" Colours of a record in Vim and Neovim: put it into ~/.vim/syntax or ~/.config/nvim/syntax.
if exists("b:current_syntax") | finish | endif
syntax include @pbemYaml syntax/yaml.vim
unlet! b:current_syntax
syntax region pbemHeader start=/\%^---$/ end=/^---$/ contains=@pbemYaml keepend
syntax match pbemNumber /^\d\+/ nextgroup=pbemSide skipwhite
syntax match pbemSide /[a-z]\+/ contained
syntax match pbemTime /@\d\{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/
syntax region pbemMessage start=/{/ end=/}/ oneline
syntax match pbemSignature /^  \~ .*/
syntax match pbemRemark /^#.*/
syntax match pbemResult /^= .*/
highlight default link pbemNumber Number
highlight default link pbemSide Keyword
highlight default link pbemTime Constant
highlight default link pbemMessage String
highlight default link pbemSignature Comment
highlight default link pbemRemark Comment
highlight default link pbemResult Statement
let b:current_syntax = "pbem"
