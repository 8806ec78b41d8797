class Postrider < Formula
  desc "Referee for board games played by email"
  homepage "@HOMEPAGE@"
  url "@RELEASES@/postrider-@VERSION@-source.tar.gz"
  sha256 "@SHA256-SOURCE@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    system "cargo", "run", "--locked", "--release", "--example", "man", "--", man1
    generate_completions_from_executable(bin/"postrider", "completions")
    doc.install "README.md", "CHANGELOG.md", "SECURITY.md", "notation", "docs", "examples"
  end

  test do
    system bin/"postrider", "new", "asalto", "--player", "besiegers=Ada", "--player", "defenders=Bram", "-o", "game.pbem"
    system bin/"postrider", "move", "game.pbem", "place c6 e6"
    assert_match "T20", shell_output("#{bin}/postrider move game.pbem b4-a4 2>&1", 1)
    assert_match "legal", shell_output("#{bin}/postrider verify game.pbem")
  end
end
