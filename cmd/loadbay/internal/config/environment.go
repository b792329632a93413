package config

import "os"

// Environment holds the environment variables that configure the program.
type Environment struct {
	URL        string // LOADBAY_URL: the address of an installation
	Token      string // LOADBAY_TOKEN: a bearer token for it
	File       string // LOADBAY_CONFIG: the path of the configuration file
	CI         bool   // CI: no person answers questions
	Accessible bool   // ACCESSIBLE: questions are asked in plain lines
	Display    bool   // DISPLAY, WAYLAND_DISPLAY: windows can be opened on a desktop of X11 or Wayland
	Remote     bool   // SSH_CONNECTION: the person works on another machine
}

// ReadEnvironment reads the environment of the process.
func ReadEnvironment() Environment {
	return Environment{
		URL: os.Getenv("LOADBAY_URL"), Token: os.Getenv("LOADBAY_TOKEN"), File: os.Getenv("LOADBAY_CONFIG"),
		CI: os.Getenv("CI") != "", Accessible: os.Getenv("ACCESSIBLE") != "",
		Display: os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != "", Remote: os.Getenv("SSH_CONNECTION") != "",
	}
}
