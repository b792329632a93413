package stack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// maxLog is the size, in bytes, above which a log is rotated at the next start; the
// previously rotated log is deleted.
const maxLog = 64 << 20

// logWriter stores the functions' output unchanged, in one file per function.
// It also shows warnings, errors and lines that are not JSON (a crash) to a person.
type logWriter struct {
	dir  string
	show io.Writer

	mu    sync.Mutex
	files map[string]*os.File
}

func newLogWriter(dir string, show io.Writer) *logWriter {
	return &logWriter{dir: dir, show: show, files: map[string]*os.File{}}
}

// writeEntry stores one line. If that fails, it shows the line with the reason.
func (l *logWriter) writeEntry(function string, line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	file, err := l.file(function)
	if err == nil {
		_, err = file.Write(append(bytes.Clone(line), '\n'))
	}
	if err != nil || isNotable(line) {
		l.writeLine(function, line, err)
	}
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

func (l *logWriter) writeLine(function string, line []byte, err error) {
	if err != nil {
		_, _ = fmt.Fprintf(l.show, "%s: (not saved: %v) %s\n", function, err, line)
		return
	}
	_, _ = fmt.Fprintf(l.show, "%s: %s\n", function, line)
}

// isNotable reports whether a person should see the line.
func isNotable(line []byte) bool {
	var entry struct{ Level string }
	if err := json.Unmarshal(line, &entry); err != nil {
		return len(bytes.TrimSpace(line)) > 0
	}
	return entry.Level == "WARN" || entry.Level == "ERROR"
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
