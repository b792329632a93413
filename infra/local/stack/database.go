package stack

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/postgres/searchpath"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// databaseName is the database on a server started by the stack. A server given by
// DATABASE_URL is used with the database in the URL.
const databaseName = "loadbay"

// ownerRole owns the schema, as the master user of RDS does. If the
// administrator of a server is not a superuser, the administrator owns the schema.
const ownerRole = "loadbay_owner"

// database describes the functions' database.
type database struct {
	server    *pglaunch.Server
	name      string // "" for the database in the URL
	admin     string // the administrator's URL: for people and tests, not for functions
	owner     string // the URL of the schema's owner, for the migrate function
	passwords passwords
}

// passwords are those of the owner and of the roles that the migrate function creates.
type passwords struct{ App, Maintenance, Operator, Owner string }

// UpgradeData moves the data of a stack that is not running to the version of the PostgreSQL
// programs, and returns both versions. The old data stays beside it.
func UpgradeData(ctx context.Context, dataDir string, progress func(sentence string)) (from, to int, err error) {
	return pglaunch.Upgrade(ctx, pglaunch.Config{Dir: filepath.Join(dataDir, PostgresDir), Progress: progress})
}

// openDatabase starts Postgres or connects to the server of DATABASE_URL.
func openDatabase(ctx context.Context, c Config) (*database, error) {
	secrets, err := readPasswords(c.path("roles.json"))
	if err != nil {
		return nil, err
	}
	if c.DatabaseURL != "" {
		server, err := pglaunch.Attach(ctx, c.DatabaseURL)
		if err != nil {
			return nil, err
		}
		d := &database{server: server, admin: searchpath.In(server.AdminURL("")), passwords: secrets}
		return d, errors.Join(d.createOwner(ctx), d.writeURL(c))
	}
	server, err := pglaunch.Start(ctx, pglaunch.Config{Dir: c.path(PostgresDir), Settings: c.Postgres, Progress: c.Progress})
	if err != nil {
		return nil, err
	}
	d := &database{server: server, name: databaseName, admin: searchpath.In(server.AdminURL(databaseName)), passwords: secrets}
	if err := errors.Join(d.createOwner(ctx), d.writeURL(c)); err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// DatabaseURL returns the administrator's URL of the database.
func (s *Stack) DatabaseURL() string { return s.database.admin }

// URLFile is the file in the data folder that contains the administrator's URL: for
// psql, and for programs that inspect the database of a running stack.
const URLFile = "database.url"

func (d *database) writeURL(c Config) error {
	if err := os.WriteFile(c.path(URLFile), []byte(d.admin+"\n"), 0o600); err != nil {
		return fmt.Errorf("save database URL: %w", err)
	}
	return nil
}

// createOwner creates the role that owns the schema, and the database.
func (d *database) createOwner(ctx context.Context) error {
	made, err := d.server.EnsureMasterRole(ctx, ownerRole, d.passwords.Owner, d.name)
	if err != nil {
		return err
	}
	if d.owner = d.admin; made {
		d.owner = d.server.URL(ownerRole, d.passwords.Owner, d.name)
	}
	return nil
}

// roleURL returns the database URL of a role.
func (d *database) roleURL(role blueprint.DatabaseRole) (string, error) {
	switch role {
	case blueprint.AppRole:
		return d.server.URL(string(role), d.passwords.App, d.name), nil
	case blueprint.MaintenanceRole:
		return d.server.URL(string(role), d.passwords.Maintenance, d.name), nil
	case blueprint.OperatorRole:
		return d.server.URL(string(role), d.passwords.Operator, d.name), nil
	}
	return "", fmt.Errorf("unknown database role %q", role)
}

// readPasswords reads the roles' passwords and generates missing ones.
func readPasswords(file string) (passwords, error) {
	var p passwords
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return p, fmt.Errorf("read database role passwords: %w", err)
	}
	before := p
	for _, one := range []*string{&p.App, &p.Maintenance, &p.Operator, &p.Owner} {
		if *one == "" {
			*one = rand.Text()
		}
	}
	if p == before {
		return p, nil
	}
	if text, err = json.Marshal(p); err != nil {
		return p, fmt.Errorf("save database role passwords: %w", err)
	}
	// Renamed into place, so that a kill leaves either a complete file or none.
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return p, fmt.Errorf("save database role passwords: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return p, fmt.Errorf("save database role passwords: %w", err)
	}
	return p, nil
}
