package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// command is a program with its arguments, and its environment variables in addition to those of
// this process.
type command struct {
	args, env []string
}

func (s settings) cdkCommand(verb string, flags ...string) command {
	return command{args: append(append([]string{"npx", "--yes", cdkCLI, verb, "--all"}, flags...), append([]string{"-c", "stage=" + stage}, s.context...)...)}
}

func (s settings) deployCommand() command {
	return s.cdkCommand("deploy", "--require-approval", "never")
}
func (s settings) destroyCommand() command { return s.cdkCommand("destroy", "--force") }

// emptyCommand empties the stage's buckets, because a bucket with objects cannot be destroyed.
func (s settings) emptyCommand() command {
	return command{args: []string{"go", "run", "./infra/emptybuckets"}, env: []string{"STAGE=" + stage}}
}

// suiteCommand runs the end-to-end suite against the deployment. It measures its API calls.
func (s settings) suiteCommand() command {
	return command{
		args: []string{"go", "test", "-count=1", "-v", "-timeout", "60m", "-run", "TestDeployed", "./infra/tests/anywhere"},
		env:  []string{"ANYWHERE_DEPLOYED=" + stage, "ANYWHERE_ACCOUNT=" + s.account},
	}
}

// cloudAccount contains the check's own queries to the account.
type cloudAccount interface {
	// accountID returns the account of the credentials.
	accountID(ctx context.Context) (string, error)
	// stageExists reports whether the stage is already deployed.
	stageExists(ctx context.Context) (bool, error)
}

// destroyTimeout limits the time for destroying the deployment, also after an interruption.
const destroyTimeout = time.Hour

// check deploys, tests and destroys a stage. Once it has started the deployment it always
// destroys it; a stage that existed before is left unchanged.
func check(ctx context.Context, s settings, c cloudAccount, run func(context.Context, command) error) (err error) {
	account, err := c.accountID(ctx)
	if err != nil {
		return fmt.Errorf("get caller identity: %w", err)
	}
	if account != s.account {
		return fmt.Errorf("the credentials are of account %s, not %s", account, s.account)
	}
	exists, err := c.stageExists(ctx)
	if err != nil {
		return fmt.Errorf("look up stage %s: %w", stage, err)
	}
	if exists {
		return fmt.Errorf("stage %s already exists in account %s and would be destroyed", stage, account)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), destroyTimeout)
		defer cancel()
		if failed := run(ctx, s.emptyCommand()); failed != nil {
			err = errors.Join(err, fmt.Errorf("empty the buckets: %w", failed))
		}
		if failed := run(ctx, s.destroyCommand()); failed != nil {
			err = errors.Join(err, fmt.Errorf("destroy: %w; remaining resources cost money: make empty destroy", failed))
		}
	}()
	if err := run(ctx, s.deployCommand()); err != nil {
		return fmt.Errorf("deploy: %w", err)
	}
	if err := run(ctx, s.suiteCommand()); err != nil {
		return fmt.Errorf("suite: %w", err)
	}
	return nil
}
