// Command invite creates an account in the user pool of a stage that was deployed with
// -c auth=cognito, or changes its permissions:
//
//	make invite EMAIL=ada@example.org ORGANISATION=2 SCOPES='imports:read imports:write'
//	make invite EMAIL=ops@example.org SCOPES=admin
//
// Cognito sends a new person an initial password. Without SCOPES they have all permissions of
// their organisation.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// environment contains the variables that configure the command.
type environment struct {
	Stage        string `env:"STAGE" default:"dev"`
	Email        string `env:"EMAIL"`
	Organisation string `env:"ORGANISATION"`
	Scopes       string `env:"SCOPES"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "invite:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var e environment
	if err := config.Load(&e, os.LookupEnv); err != nil {
		return err
	}
	i := invitation{email: e.Email, organisation: e.Organisation, scopes: strings.Fields(e.Scopes)}
	if len(i.scopes) == 0 && i.organisation != "" {
		i.scopes = blueprint.Scopes()
	}
	if err := i.validate(); err != nil {
		return err
	}
	c, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("AWS configuration: %w", err)
	}
	message, err := invite(ctx, cognito.NewFromConfig(c), blueprint.Deployment{Stage: e.Stage}.Name(blueprint.UserPool), i)
	if err != nil {
		return err
	}
	fmt.Println(message)
	return nil
}
