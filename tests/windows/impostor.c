/* A program that says that it was run, and by which name: impostor */
#include <stdio.h>
#include <windows.h>

int main(void) {
    char name[1024];
    GetModuleFileNameA(NULL, name, sizeof name);
    printf("impostor %s\n", name);
    fprintf(stderr, "impostor %s\n", name);
    return 7;
}
