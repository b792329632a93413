package command

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
)

// outputFile is the file being saved.
type outputFile = os.File

// saveFlags say where a command saves a file.
type saveFlags struct {
	path  string // "": standard output, or the default name if that is a terminal
	force bool
}

// bindOutput adds the flags -o and --force.
func (f *saveFlags) bindOutput(flags *pflag.FlagSet, defaultName string) {
	flags.StringVarP(&f.path, "output", "o", "", fmt.Sprintf(`the file; "-" is standard output (standard output, or %s on a terminal)`, defaultName))
	bindForce(flags, &f.force)
}

// bindForce adds the flag --force.
func bindForce(flags *pflag.FlagSet, force *bool) {
	flags.BoolVar(force, "force", false, "overwrite an existing file")
}

// fileKind is a kind of files that commands save.
type fileKind bool

const (
	textFile   fileKind = false
	binaryFile fileKind = true // is not printed on a terminal
)

// kindOf returns the kind of a format.
func kindOf(format string) fileKind { return format == "xlsx" }

// destination is where a file is written, as far as it can be known before it is requested.
type destination struct {
	path string // of the file itself, not of a link to it; "" for standard output
	// direct: a device or a pipe, or standard output, which is written and not replaced.
	direct    bool
	mode      fs.FileMode // of the existing file; 0 for a new one
	overwrite bool
}

// resolveOutput checks where a file is to be saved, before anything is requested. defaultName is used
// on a terminal if no file was named.
func (a *app) resolveOutput(f saveFlags, defaultName string, kind fileKind) (destination, error) {
	path := f.path
	if path == "" {
		if path = "-"; a.streams.OutIsTerminal {
			path = defaultName
		}
	}
	if path == "-" {
		if a.streams.OutIsTerminal && kind == binaryFile {
			return destination{}, usageError{errors.New("will not print a binary file on a terminal: set a file name with -o, or redirect the output")}
		}
		return destination{direct: true}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return destination{}, usageError{fmt.Errorf("%s is a folder; name a file in it", path)}
	case err == nil && !info.Mode().IsRegular():
		return destination{path: path, direct: true}, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return destination{}, err
	case err == nil && !f.force:
		return destination{}, errExists(path)
	}
	d := destination{overwrite: f.force}
	if err == nil {
		d.mode = info.Mode().Perm()
	}
	d.path, err = followLinks(path)
	return d, err
}

func errExists(path string) error {
	return usageError{fmt.Errorf("%s exists; choose another name, or overwrite it with --force", path)}
}

// maxLinks is the maximum number of symbolic links that are followed to a file.
const maxLinks = 40

// followLinks returns the path of the file to which symbolic links lead; it may not exist yet.
func followLinks(path string) (string, error) {
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil //nolint:nilerr // not a link
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", usageError{fmt.Errorf("%s: too many symbolic links", path)}
}

// saveFile writes a file. A regular file is written completely or not at all, and an existing one is
// kept unless --force is given; devices and pipes are written directly.
func (a *app) saveFile(f saveFlags, defaultName string, kind fileKind, write func(*outputFile) (int64, error)) error {
	to, err := a.resolveOutput(f, defaultName, kind)
	if err != nil {
		return err
	}
	if to.path == "" {
		out, ok := a.streams.Out.(*os.File)
		if !ok {
			return errors.New("standard output is not a file")
		}
		_, err := write(out)
		return err
	}
	n, err := to.save(write)
	switch {
	case errors.Is(err, client.ErrNoContent) || errors.As(err, new(usageError)):
		return err
	case err != nil:
		return fmt.Errorf("save %s: %w", to.path, err)
	}
	a.notify("Saved %s (%s).", cmp.Or(f.path, to.path), formatBytes(n))
	return nil
}

func (d *destination) save(write func(*outputFile) (int64, error)) (n int64, err error) {
	if d.direct {
		out, err := os.OpenFile(d.path, os.O_WRONLY, 0)
		if err != nil {
			return 0, err
		}
		n, err = write(out)
		return n, errors.Join(err, out.Close())
	}
	part, err := createPart(d.path, d.mode)
	if err != nil {
		return 0, err
	}
	n, err = write(part)
	if err = errors.Join(err, part.Close()); err == nil {
		err = d.publish(part.Name())
	}
	if err != nil {
		_ = os.Remove(part.Name())
	}
	return n, err
}

// createPart creates the file that becomes path: with the mode of the file that it replaces, or else
// as the umask allows.
func createPart(path string, mode fs.FileMode) (*os.File, error) {
	name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".loadbay-%d", rand.Uint64())) //nolint:gosec // no secret
	part, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, cmp.Or(mode, 0o666))
	if err == nil && mode != 0 {
		err = part.Chmod(mode)
	}
	return part, err
}

// publish gives the finished file its name. A file that has appeared meanwhile is kept.
func (d *destination) publish(part string) error {
	if d.overwrite {
		return os.Rename(part, d.path)
	}
	switch err := os.Link(part, d.path); {
	case errors.Is(err, fs.ErrExist):
		return errExists(d.path)
	case err != nil: // the file system has no links
		return os.Rename(part, d.path)
	}
	return os.Remove(part)
}

// formatBytes formats a number of bytes for people.
func formatBytes(n int64) string {
	const k = 1000
	switch {
	case n < k:
		return fmt.Sprintf("%d bytes", n)
	case n < k*k:
		return fmt.Sprintf("%.1f kB", float64(n)/k)
	case n < k*k*k:
		return fmt.Sprintf("%.1f MB", float64(n)/k/k)
	default:
		return fmt.Sprintf("%.1f GB", float64(n)/k/k/k)
	}
}
