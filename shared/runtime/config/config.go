// Package config loads a program's settings from its environment and is the only place that
// reads it. A program declares one struct with tagged fields
//
//	Bucket string `env:"BUCKET,required"`
//	Level  string `env:"LOG_LEVEL" default:"INFO"`
//
// and gets it filled, or all its errors joined in one.
package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Validator is implemented by settings with their own rules.
type Validator interface{ Validate() error }

// Load fills the struct that target points to. lookup is os.LookupEnv, or a test's function.
// Nested structs are filled too.
func Load(target any, lookup func(string) (string, bool)) error {
	v := reflect.ValueOf(target)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("config: want a pointer to a struct, got %T", target)
	}
	if err := loadStruct(v.Elem(), lookup); err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	return nil
}

func loadStruct(v reflect.Value, lookup func(string) (string, bool)) error {
	var errs []error
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		tag, tagged := field.Tag.Lookup("env")
		if !tagged {
			if value.Kind() == reflect.Struct {
				errs = append(errs, loadStruct(value, lookup))
			}
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		text, ok := lookup(name)
		if !ok || text == "" {
			text = field.Tag.Get("default")
		}
		if text == "" {
			if option == "required" {
				errs = append(errs, fmt.Errorf("%s is not set", name))
			}
			continue
		}
		if err := setField(value, text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if validator, ok := v.Addr().Interface().(Validator); ok {
		errs = append(errs, validator.Validate())
	}
	return errors.Join(errs...)
}

func setField(v reflect.Value, text string) error {
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text))
	}
	if v.Type() == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		v.SetInt(int64(d))
		return err
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		v.SetBool(b)
		return err
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
		return err
	default:
		return fmt.Errorf("settings of type %s are not supported", v.Type())
	}
	return nil
}
