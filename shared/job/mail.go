package job

import "errors"

// ErrMailRefused is the error of a message that will not be sent, however often it is
// tried.
var ErrMailRefused = errors.New("the mail is refused")
