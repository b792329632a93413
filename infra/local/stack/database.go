package stack

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/pglaunch"
)

// databaseName is the database of a server that the stack runs. A server of
// DATABASE_URL is used with the database that the URL names.
const databaseName = "loadbay"

// database is where the functions keep their rows.
type database struct {
	server    *pglaunch.Server
	name      string // "" for the URL's own
	admin     string // the administrator's URL
	passwords passwords
}

// passwords are those of the roles that the migrate function creates.
type passwords struct{ App, Maintenance string }

// openDatabase starts Postgres, or finds the one of DATABASE_URL.
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
		d := &database{server: server, admin: server.AdminURL(""), passwords: secrets}
		return d, d.keepURL(c)
	}
	server, err := pglaunch.Start(ctx, pglaunch.Config{Dir: c.path("postgres"), Settings: c.Postgres, Progress: c.Progress})
	if err != nil {
		return nil, err
	}
	d := &database{server: server, name: databaseName, admin: server.AdminURL(databaseName), passwords: secrets}
	if err := errors.Join(ensureDatabase(ctx, server.AdminURL("")), d.keepURL(c)); err != nil {
		return nil, errors.Join(err, server.Stop(context.WithoutCancel(ctx)))
	}
	return d, nil
}

// DatabaseURL is the administrator's URL of the database.
func (s *Stack) DatabaseURL() string { return s.database.admin }

// URLFile is the file in the data folder that holds the administrator's URL: for
// psql, and for programs that look into the database of a running stack.
const URLFile = "database.url"

func (d *database) keepURL(c Config) error {
	if err := os.WriteFile(c.path(URLFile), []byte(d.admin+"\n"), 0o600); err != nil {
		return fmt.Errorf("keep the database's URL: %w", err)
	}
	return nil
}

func ensureDatabase(ctx context.Context, admin string) error {
	conn, err := pgx.Connect(ctx, admin)
	if err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, databaseName).Scan(&exists); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	if exists {
		return nil
	}
	if _, err := conn.Exec(ctx, `CREATE DATABASE `+pgx.Identifier{databaseName}.Sanitize()); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	return nil
}

// url is a role's connection.
func (d *database) url(role blueprint.DatabaseRole) (string, error) {
	switch role {
	case blueprint.AppRole:
		return d.server.URL(string(role), d.passwords.App, d.name), nil
	case blueprint.MaintenanceRole:
		return d.server.URL(string(role), d.passwords.Maintenance, d.name), nil
	}
	return "", fmt.Errorf("there is no database role %q", role)
}

// readPasswords reads the roles' passwords, making them the first time.
func readPasswords(file string) (passwords, error) {
	var p passwords
	text, err := os.ReadFile(file)
	if err == nil {
		if err = json.Unmarshal(text, &p); err == nil {
			return p, nil
		}
	}
	if !errors.Is(err, os.ErrNotExist) {
		return p, fmt.Errorf("read the database roles' passwords: %w", err)
	}
	p = passwords{App: rand.Text(), Maintenance: rand.Text()}
	if text, err = json.Marshal(p); err != nil {
		return p, fmt.Errorf("keep the database roles' passwords: %w", err)
	}
	// Renamed into place, so that a kill leaves all or nothing.
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return p, fmt.Errorf("keep the database roles' passwords: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return p, fmt.Errorf("keep the database roles' passwords: %w", err)
	}
	return p, nil
}

// seed runs the SQL that makes the first organisations.
func (d *database) seed(ctx context.Context, sql string) error {
	if sql == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, d.admin)
	if err != nil {
		return fmt.Errorf("seed the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		return fmt.Errorf("seed the database: %w", err)
	}
	return nil
}
