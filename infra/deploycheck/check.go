package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// command is a program with its arguments, and the variables that it needs beside those
// of this process.
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

// emptyCommand deletes what the stage's buckets hold: a bucket that holds something cannot be destroyed.
func (s settings) emptyCommand() command {
	return command{args: []string{"go", "run", "./infra/emptybuckets"}, env: []string{"STAGE=" + stage}}
}

// suiteCommand runs the end-to-end suite against what stands in the account. It measures what it calls.
func (s settings) suiteCommand() command {
	return command{
		args: []string{"go", "test", "-count=1", "-v", "-timeout", "60m", "-run", "TestDeployed", "./infra/tests/anywhere"},
		env:  []string{"ANYWHERE_DEPLOYED=" + stage, "ANYWHERE_ACCOUNT=" + s.account},
	}
}

// cloudAccount is what the check asks the account itself.
type cloudAccount interface {
	// account is whose the credentials are.
	accountID(ctx context.Context) (string, error)
	// stands reports whether the stage is there already.
	stageExists(ctx context.Context) (bool, error)
}

// destroyTimeout is how long it may take to destroy what was deployed, also after an interruption.
const destroyTimeout = time.Hour

// check deploys, tries and destroys a stage. What it has begun to deploy it destroys, whatever
// happens in between; a stage that stood before is left alone.
func check(ctx context.Context, s settings, c cloudAccount, run func(context.Context, command) error) (err error) {
	account, err := c.accountID(ctx)
	if err != nil {
		return fmt.Errorf("whose credentials these are: %w", err)
	}
	if account != s.account {
		return fmt.Errorf("the credentials are of account %s, not %s", account, s.account)
	}
	stands, err := c.stageExists(ctx)
	if err != nil {
		return fmt.Errorf("whether stage %s stands: %w", stage, err)
	}
	if stands {
		return fmt.Errorf("stage %s stands in account %s already: it would be destroyed", stage, account)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), destroyTimeout)
		defer cancel()
		if failed := run(ctx, s.emptyCommand()); failed != nil {
			err = errors.Join(err, fmt.Errorf("empty the buckets: %w", failed))
		}
		if failed := run(ctx, s.destroyCommand()); failed != nil {
			err = errors.Join(err, fmt.Errorf("destroy: %w; what is left costs money: make empty destroy", failed))
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
