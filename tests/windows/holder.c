/* Has a file open as some virus scanners do, so that nobody else can open, replace or remove it: holder FILE MILLISECONDS. */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int main(int count, char **words) {
    HANDLE file;
    if (count != 3) return 2;
    file = CreateFileA(words[1], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("held");
    fflush(stdout);
    Sleep((DWORD)atoi(words[2]));
    CloseHandle(file);
    return 0;
}
