package pglaunch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is the user that runs the server; nil is this program's own.
type owner struct {
	uid, gid uint32
}

// chooseOwner returns the user that runs the server: the current one, unless it is root.
func chooseOwner() (*owner, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		account, err := user.Lookup(name)
		var unknown user.UnknownUserError
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("look up the user %s: %w", name, err)
		}
		return lookupOwner(account)
	}
	return nil, errors.New("PostgreSQL does not run as root, and neither the user postgres nor the user nobody exists")
}

func lookupOwner(account *user.User) (*owner, error) {
	uid, err := strconv.ParseUint(account.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", account.Username, err)
	}
	gid, err := strconv.ParseUint(account.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w", account.Username, err)
	}
	return &owner{uid: uint32(uid), gid: uint32(gid)}, nil
}

// apply configures cmd to run as o.
func (o *owner) apply(cmd *exec.Cmd) {
	if o != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: o.uid, Gid: o.gid}}
	}
}

// chownAll changes the owner of path and everything below it to o.
func (o *owner) chownAll(path string) error {
	if o == nil {
		return nil
	}
	return filepath.WalkDir(path, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, int(o.uid), int(o.gid))
	})
}

// openParents adds search permission, and nothing else, to those parents of dir that lack it, and
// reports them: the server's user must be able to traverse them.
func (o *owner) openParents(dir string, tell func(string)) error {
	if o == nil {
		return nil
	}
	for p := dir; ; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if err != nil {
			return fmt.Errorf("grant the server's user access to %s: %w", dir, err)
		}
		if info.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(p, info.Mode().Perm()|0o001); err != nil {
				return fmt.Errorf("grant the server's user access to %s: %w", dir, err)
			}
			tell(fmt.Sprintf("PostgreSQL does not run as root: other users were granted search permission (o+x) on %s, so that it can access its data.", p))
		}
		if p == filepath.Dir(p) {
			return nil
		}
	}
}
