package provision

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// activeTimeout limits how long a function may take to become active.
const activeTimeout = 2 * time.Minute

// Code describes the code of the functions.
type Code struct {
	// Folder contains <function>/bootstrap for Linux on Architecture.
	Folder       string
	Architecture types.Architecture
	// Environment returns the variables that are not in the blueprint: those of the database.
	Environment func(f blueprint.Function) map[string]string
}

// CreateFunctions deploys every function and connects it to its queues and the bucket.
// r must contain the ARN of the state machine, which is created afterwards.
func (p *Provisioner) CreateFunctions(ctx context.Context, r *Resources, code Code) (arns map[string]string, err error) {
	arns = map[string]string{}
	for _, f := range p.blueprint.Functions {
		if arns[f.Name], err = p.createFunction(ctx, r, code, f); err != nil {
			return nil, fmt.Errorf("provision: function %s: %w", f.Name, err)
		}
	}
	for _, s := range p.blueprint.EventSources {
		_, err := p.functions.CreateEventSourceMapping(ctx, &lambda.CreateEventSourceMappingInput{
			EventSourceArn: aws.String(r.QueueARNs[s.Queue]), FunctionName: aws.String(arns[s.Function]), BatchSize: aws.Int32(int32(s.BatchSize)),
			FunctionResponseTypes: []types.FunctionResponseType{types.FunctionResponseTypeReportBatchItemFailures},
			ScalingConfig:         &types.ScalingConfig{MaximumConcurrency: aws.Int32(int32(s.MaxConcurrency))},
		})
		if err != nil {
			return nil, fmt.Errorf("provision: map messages of %s: %w", s.Queue, err)
		}
	}
	for n, e := range p.blueprint.ObjectEvents {
		name := blueprint.LocalDeployment().Rule(fmt.Sprintf("created-%d", n))
		if err := p.createRule(ctx, nil, name, objectEventPattern(r.Bucket, e), arns[e.Function]); err != nil {
			return nil, fmt.Errorf("provision: %w", err)
		}
		_, err := p.functions.AddPermission(ctx, &lambda.AddPermissionInput{
			FunctionName: aws.String(arns[e.Function]), StatementId: &name,
			Action: aws.String("lambda:InvokeFunction"), Principal: aws.String("events.amazonaws.com"),
		})
		if err != nil {
			return nil, fmt.Errorf("provision: add permission of rule %s: %w", name, err)
		}
	}
	return arns, nil
}

func (p *Provisioner) createFunction(ctx context.Context, r *Resources, code Code, f blueprint.Function) (arn string, err error) {
	archive, err := zipFile(filepath.Join(code.Folder, f.Name, "bootstrap"))
	if err != nil {
		return "", err
	}
	variables, err := r.Environment(f)
	if err != nil {
		return "", err
	}
	maps.Copy(variables, code.Environment(f))
	name := blueprint.LocalDeployment().Function(f.Name)
	made, err := p.functions.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: &name, Role: aws.String(functionRole), Runtime: types.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Architectures: []types.Architecture{code.Architecture}, Code: &types.FunctionCode{ZipFile: archive},
		MemorySize: aws.Int32(int32(f.Memory)), Timeout: aws.Int32(int32(f.Timeout / time.Second)),
		Environment: &types.Environment{Variables: variables},
	})
	if err != nil {
		return "", err
	}
	if err := lambda.NewFunctionActiveV2Waiter(p.functions).Wait(ctx, &lambda.GetFunctionInput{FunctionName: &name}, activeTimeout); err != nil {
		return "", err
	}
	return *made.FunctionArn, nil
}

// zipFile returns a program in the zip format that Lambda accepts.
func zipFile(bootstrap string) ([]byte, error) {
	content, err := os.ReadFile(bootstrap)
	if err != nil {
		return nil, err
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	header := &zip.FileHeader{Name: "bootstrap", Method: zip.Deflate}
	header.SetMode(0o755)
	entry, err := w.CreateHeader(header)
	if err != nil {
		return nil, err
	}
	if _, err := entry.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return archive.Bytes(), nil
}
