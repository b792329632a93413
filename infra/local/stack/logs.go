package stack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// maxLog is the size, in bytes, above which a log is rotated at the next start; the
// previously rotated log is deleted.
const maxLog = 64 << 20

// logWriter stores the functions' output unchanged, in one file per function.
// It also shows a person one short line for each warning, error and crash.
type logWriter struct {
	dir  string
	show io.Writer

	mu      sync.Mutex
	files   map[string]*os.File
	crashed map[string]bool // whether the last line of a function was of a crash
}

func newLogWriter(dir string, show io.Writer) *logWriter {
	return &logWriter{dir: dir, show: show, files: map[string]*os.File{}, crashed: map[string]bool{}}
}

// writeEntry stores one line. If that fails, it shows the line with the reason.
func (l *logWriter) writeEntry(function string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := l.file(function)
	if err == nil {
		_, err = file.Write(append(bytes.Clone(line), '\n'))
	}
	if err != nil {
		l.showLine(time.Now(), "ERROR", fmt.Sprintf("%s: %s (not saved: %v)", function, shorten(string(line)), err))
		return
	}
	l.showEntry(function, line)
}

// failurePattern matches the line with which Lambda's runtime repeats the error of an invocation.
var failurePattern = regexp.MustCompile(`^\S+ \S+ \{"errorMessage":`)

// showEntry shows a warning, an error, or the first line of a crash, which is not JSON.
func (l *logWriter) showEntry(function string, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 || failurePattern.Match(line) {
		return
	}
	var entry struct {
		Time              time.Time
		Level, Msg, Error string
		Job               string `json:"job_id"`
	}
	if err := json.Unmarshal(line, &entry); err != nil {
		if !l.crashed[function] {
			l.showLine(time.Now(), "ERROR", l.withFile(function, string(line)))
		}
		l.crashed[function] = true
		return
	}
	l.crashed[function] = false
	// The events of an import say how it ends; its warnings are details.
	if entry.Level != "ERROR" && (entry.Level != "WARN" || entry.Job != "") {
		return
	}
	text := entry.Msg
	if entry.Error != "" {
		text += ": " + entry.Error
	}
	if entry.Job != "" {
		text = "import " + entry.Job + ": " + text
	}
	if entry.Time.IsZero() {
		entry.Time = time.Now()
	}
	l.showLine(entry.Time, entry.Level, l.withFile(function, text))
}

// maxShown is the number of characters of a message that are shown.
const maxShown = 160

// shorten returns the beginning of a message, in one line.
func shorten(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if characters := []rune(text); len(characters) > maxShown {
		return string(characters[:maxShown]) + "…"
	}
	return text
}

// withFile returns the beginning of a message, its function, and the file with all of it.
func (l *logWriter) withFile(function, text string) string {
	return fmt.Sprintf("%s: %s (%s)", function, shorten(text), filepath.Join(filepath.Base(l.dir), function+".log"))
}

// showEvent shows an event that is not in a log.
func (l *logWriter) showEvent(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.showLine(time.Now(), "INFO", text)
}

func (l *logWriter) showLine(at time.Time, level, text string) {
	_, _ = fmt.Fprintf(l.show, "%s  %-5s  %s\n", at.Local().Format(time.TimeOnly), level, text)
}

func (l *logWriter) file(function string) (*os.File, error) {
	if file, ok := l.files[function]; ok {
		return file, nil
	}
	name := filepath.Join(l.dir, function+".log")
	if info, err := os.Stat(name); err == nil && info.Size() > maxLog {
		if err := os.Rename(name, name+".1"); err != nil {
			return nil, err
		}
	}
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	l.files[function] = file
	return file, nil
}

// logger returns a logger for the stack's own components, which are stored and shown like those
// of a function.
func (l *logWriter) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(entryWriter{l}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// entryWriter receives one entry per Write.
type entryWriter struct{ *logWriter }

// Write implements io.Writer.
func (w entryWriter) Write(entry []byte) (int, error) {
	w.writeEntry("stack", bytes.TrimSuffix(entry, []byte("\n")))
	return len(entry), nil
}

func (l *logWriter) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var first error
	for _, file := range l.files {
		if err := file.Close(); err != nil && first == nil {
			first = fmt.Errorf("close the functions' logs: %w", err)
		}
	}
	return first
}
