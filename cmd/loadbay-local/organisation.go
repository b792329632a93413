package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/aws/sdkhttp"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// addOrganisation creates an organisation in the stack that runs in DATA_DIR, as
// `aws lambda invoke` does on AWS, and prints the next steps.
func addOrganisation(ctx context.Context, out io.Writer, name string) error {
	var s settings
	if err := config.Load(&s, os.LookupEnv); err != nil {
		return err
	}
	endpoint, err := os.ReadFile(filepath.Join(s.DataDir, stack.AWSFile))
	if err != nil {
		return fmt.Errorf("no stack is running in %s (start it with make run): %w", s.DataDir, err)
	}
	payload, err := json.Marshal(map[string]any{"organisation": map[string]string{"name": name}})
	if err != nil {
		return err
	}
	done, err := lambda.NewFromConfig(aws.Config{
		Region: s3.Region, BaseEndpoint: aws.String(strings.TrimSpace(string(endpoint))), HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	}).Invoke(ctx, &lambda.InvokeInput{
		FunctionName: aws.String(blueprint.LocalDeployment().Function(blueprint.OperatorFunction)), Payload: payload,
	})
	if err != nil {
		return fmt.Errorf("create organisation: %w", err)
	}
	if done.FunctionError != nil {
		return responseError(done.Payload)
	}
	return printOrganisation(out, done.Payload)
}

// responseError returns the error that the function responded with.
func responseError(payload []byte) error {
	var response struct {
		Message string `json:"errorMessage"`
	}
	if err := json.Unmarshal(payload, &response); err != nil || response.Message == "" {
		return errors.New("create organisation: the function failed")
	}
	return errors.New(response.Message)
}

// printOrganisation formats the function's response for a person.
func printOrganisation(out io.Writer, payload []byte) error {
	var made struct {
		ID      int64
		Name    string
		Created bool
		Next    []string
	}
	if err := json.Unmarshal(payload, &made); err != nil {
		return fmt.Errorf("create organisation: %w", err)
	}
	verb := "already exists"
	if made.Created {
		verb = "was created"
	}
	printLine(out, fmt.Sprintf("Organisation %d, %s, %s.\n\n%s", made.ID, made.Name, verb, strings.Join(made.Next, "\n")))
	return nil
}
