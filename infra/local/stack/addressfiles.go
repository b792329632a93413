package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// APIFile and AWSFile, in the data folder, contain the URLs of the HTTP API and of
// the AWS endpoint while the stack can be used: for programs that start a stack on
// free ports, or look for a running one.
const (
	APIFile = "api.url"
	AWSFile = "aws.url"
)

// writeAddressFiles writes the stack's addresses to files, which Stop removes.
func (s *Stack) writeAddressFiles() error {
	s.onStop(func(context.Context) error { return s.removeAddressFiles() })
	for file, url := range map[string]string{APIFile: s.APIURL, AWSFile: s.AWSURL} {
		path := s.config.path(file)
		// Renamed into place, so that a reader never sees a partial file.
		if err := os.WriteFile(path+".new", []byte(url+"\n"), 0o644); err != nil {
			return fmt.Errorf("write address files: %w", err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			return fmt.Errorf("write address files: %w", err)
		}
	}
	return nil
}

// removeAddressFiles removes the files of this run, or of an earlier run that was killed.
func (s *Stack) removeAddressFiles() error {
	var faults []error
	for _, file := range []string{APIFile, AWSFile} {
		if err := os.Remove(s.config.path(file)); err != nil && !errors.Is(err, os.ErrNotExist) {
			faults = append(faults, fmt.Errorf("remove address files: %w", err))
		}
	}
	return errors.Join(faults...)
}
