/* Opens a program as a double click does, apart from the window: by its path alone, from its own folder. explorer PROGRAM FOLDER */
#include <stdio.h>
#include <windows.h>

int main(int count, char **words) {
    STARTUPINFOA how;
    PROCESS_INFORMATION made;
    DWORD code = 0;
    char line[2048];
    if (count != 3) return 2;
    snprintf(line, sizeof line, "\"%s\"", words[1]);
    GetStartupInfoA(&how);
    if (!CreateProcessA(words[1], line, NULL, NULL, TRUE, 0, NULL, words[2], &how, &made)) return 3;
    WaitForSingleObject(made.hProcess, INFINITE);
    GetExitCodeProcess(made.hProcess, &code);
    return (int)code;
}
