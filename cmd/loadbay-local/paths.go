package main

import (
	"os"
	"path/filepath"
)

// functionsDir returns the folder of the compiled functions: the configured one, or that of the
// checkout in the working directory, or the one next to the program.
func functionsDir(set string) string {
	return firstExisting(set, filepath.Join("bin", "functions"), besideProgram("functions"))
}

// consoleDir returns the folder of the built console, located like the functions.
func consoleDir(set string) string {
	checkout := filepath.Join("console", "dist")
	return firstExisting(set, checkout, besideProgram("console"), besideProgram(filepath.Join("..", checkout)))
}

// firstExisting returns the configured folder, or else the first one that exists, or else the
// first one.
func firstExisting(set string, folders ...string) string {
	if set != "" {
		return set
	}
	for _, folder := range folders {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			return folder
		}
	}
	return folders[0]
}

// besideProgram returns a path in the folder of this program.
func besideProgram(path string) string {
	program, err := os.Executable()
	if err != nil {
		return path
	}
	return filepath.Join(filepath.Dir(program), path)
}
