// The function that the host's tests run. Its event says what to do; its
// environment may make it fail before it is ready.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
)

type request struct {
	Do   string
	Text string
	Size int
	Wait time.Duration
}

type response struct {
	Text     string
	PID      int
	Env      []string
	Deadline time.Time
	Request  string
	ARN      string
}

func main() {
	if os.Getenv("INIT") == "exit" {
		os.Exit(7)
	}
	lambda.Start(handle)
}

func handle(ctx context.Context, r request) (response, error) {
	switch r.Do {
	case "fail":
		return response{}, errors.New(r.Text)
	case "panic":
		panic(r.Text)
	case "exit":
		os.Exit(3)
	case "wait":
		time.Sleep(r.Wait)
	case "print":
		fmt.Println(r.Text)
		fmt.Fprint(os.Stderr, "no end of line")
	case "big":
		return response{Text: strings.Repeat("x", r.Size)}, nil
	case "allocate":
		use := make([]byte, r.Size)
		for i := range use {
			use[i] = 1
		}
	case "litter":
		if err := os.WriteFile(os.TempDir()+"/litter", nil, 0o600); err != nil {
			return response{}, err
		}
	}
	deadline, _ := ctx.Deadline()
	lc, _ := lambdacontext.FromContext(ctx)
	return response{Text: r.Text, PID: os.Getpid(), Env: os.Environ(), Deadline: deadline, Request: lc.AwsRequestID, ARN: lc.InvokedFunctionArn}, nil
}
