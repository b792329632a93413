// Command emptybuckets deletes every object in the buckets of a stage before it is destroyed,
// because CloudFormation does not delete a bucket with objects. It accepts only stages with
// disposable data, which are dev and its cells:
//
//	make empty STAGE=dev-north
//
// It identifies buckets by the tag that CloudFormation adds to a stack's resources.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/loadbay/loadbay/shared/runtime/config"
)

// environment contains the variables that configure the command.
type environment struct {
	Stage string `env:"STAGE" default:"dev"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "empty:", err)
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
	if stage, _, _ := strings.Cut(e.Stage, "-"); stage != disposableStage {
		return fmt.Errorf("stage %s retains its data: delete its objects manually if you want to remove them", e.Stage)
	}
	c, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("AWS configuration: %w", err)
	}
	return emptyBuckets(ctx, s3.NewFromConfig(c), e.Stage, func(bucket string, objects int) {
		fmt.Printf("%s: %d deleted\n", bucket, objects)
	})
}
