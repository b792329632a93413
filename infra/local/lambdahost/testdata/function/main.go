// The function that the host's tests run. Its event selects what it does; its
// environment may make it fail before it is ready.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
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

func handle(ctx context.Context, r request) (any, error) {
	switch r.Do {
	case "fail":
		return response{}, errors.New(r.Text)
	case "panic":
		panic(r.Text)
	case "exit":
		os.Exit(3)
	case "stream":
		return stream(r), nil
	case "wait":
		time.Sleep(r.Wait)
	case "hold": // until a file with that name exists
		for _, err := os.Stat(r.Text); err != nil; _, err = os.Stat(r.Text) {
			time.Sleep(time.Millisecond)
		}
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

// stream responds with Size bytes and then waits, dies or fails, depending on Text.
func stream(r request) *events.LambdaFunctionURLStreamingResponse {
	body, to := io.Pipe()
	go func() {
		block := []byte(strings.Repeat("x", 1<<16))
		for left := r.Size; left > 0; {
			n, err := to.Write(block[:min(left, len(block))])
			if left -= n; err != nil {
				return
			}
		}
		switch r.Text {
		case "wait":
			time.Sleep(r.Wait)
		case "exit":
			os.Exit(3)
		case "fail":
			_ = to.CloseWithError(errors.New("broken")) // never fails
		}
		_ = to.Close() // never fails
	}()
	return &events.LambdaFunctionURLStreamingResponse{StatusCode: 200, Body: body}
}
