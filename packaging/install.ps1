<#
.SYNOPSIS
Installs postrider for you alone, from the folder in which this script is: copies it and puts it on your PATH.

.DESCRIPTION
    .\install.ps1
    .\install.ps1 -Folder D:\Tools\postrider
    .\install.ps1 -Remove

If PowerShell refuses to run scripts: powershell -ExecutionPolicy Bypass -File install.ps1
Your games, keys and settings are in %APPDATA%\postrider. They are not touched, and stay when postrider is removed.
#>
[CmdletBinding()]
param(
    # Where postrider is to be.
    [string] $Folder = (Join-Path $env:LOCALAPPDATA 'Programs\postrider'),
    # Takes it away again.
    [switch] $Remove
)
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'

# Your PATH as it is written, with names such as %USERPROFILE% in it.
function Get-OwnPath {
    $key = Get-Item -Path 'HKCU:\Environment'
    @($key.GetValue('Path', '', 'DoNotExpandEnvironmentNames') -split ';' | Where-Object { $_ -ne '' })
}

function Set-OwnPath([string[]] $Folders) {
    Set-ItemProperty -Path 'HKCU:\Environment' -Name 'Path' -Type ExpandString -Value ($Folders -join ';')
    # To set any variable in this way tells the programs that run that there are new ones.
    [Environment]::SetEnvironmentVariable('POSTRIDER_INSTALLED', $null, 'User')
}

$Folder = $ExecutionContext.SessionState.Path.GetUnresolvedProviderPathFromPSPath($Folder)
$others = @(Get-OwnPath | Where-Object { $_.TrimEnd('\') -ne $Folder.TrimEnd('\') })

if ($Remove) {
    if (-not (Test-Path -LiteralPath (Join-Path $Folder 'postrider.exe'))) {
        throw "postrider is not in ${Folder}: name its folder with -Folder"
    }
    Set-OwnPath $others
    Remove-Item -LiteralPath $Folder -Recurse
    Write-Output "postrider is gone from $Folder"
    return
}

if (-not (Test-Path -LiteralPath (Join-Path $PSScriptRoot 'postrider.exe'))) {
    throw "postrider.exe is not beside this script: unpack the whole zip first"
}
# What is there and is not postrider stays untouched.
if ((Test-Path -LiteralPath $Folder) -and @(Get-ChildItem -LiteralPath $Folder).Count -gt 0 -and
    -not (Test-Path -LiteralPath (Join-Path $Folder 'postrider.exe'))) {
    throw "there is something else in ${Folder}: choose another folder with -Folder"
}
New-Item -ItemType Directory -Force -Path $Folder | Out-Null
Copy-Item -Path (Join-Path $PSScriptRoot '*') -Destination $Folder -Recurse -Force
Set-OwnPath ($others + $Folder)
Write-Output "installed: $(Join-Path $Folder 'postrider.exe')"
Write-Output "open a new window and type: postrider setup"
