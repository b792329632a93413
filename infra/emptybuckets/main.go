// Command empty deletes every object of the buckets of a stage that is to be taken down:
// CloudFormation deletes no bucket that holds something. It does so only to stages whose
// data may go with them:
//
//	make empty STAGE=dev
//
// Buckets are known by the tag that CloudFormation gives to what a stack has made.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/loadbay/loadbay/shared/runtime/config"
)

// environment is what whoever empties sets.
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
	if e.Stage != disposableStage {
		return fmt.Errorf("stage %s keeps its data: delete its objects by hand, if that is what you want", e.Stage)
	}
	c, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("AWS configuration: %w", err)
	}
	return emptyBuckets(ctx, s3.NewFromConfig(c), e.Stage, func(bucket string, objects int) {
		fmt.Printf("%s: %d deleted\n", bucket, objects)
	})
}
