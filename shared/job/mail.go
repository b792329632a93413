package job

import "errors"

// ErrMailRefused is the error of a mail that will never be sent, however often it is retried.
var ErrMailRefused = errors.New("e-mail rejected")
