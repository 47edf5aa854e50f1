#!/bin/sh
# Makes the certificates of this folder anew: an authority of the tests' own, and what it signs. Needs openssl 3.
# The keys protect nothing but connections of a machine to itself; the authority's own key is thrown away.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
: > "$work/index.txt"
printf '%s\n' '[ca]' default_ca=tests '[tests]' "database=$work/index.txt" "new_certs_dir=$work" rand_serial=yes \
    default_md=sha256 policy=any unique_subject=no '[any]' commonName=supplied > "$work/ca.cnf"

certificate() { # name, first day, last day, options of `openssl ca`; its extensions on standard input
    name=$1 first=$2 last=$3
    shift 3
    cat > "$work/$name.ext"
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
        -keyout "$work/$name.key" -out "$work/$name.csr"
    openssl ca -batch -notext -config "$work/ca.cnf" -startdate "${first}000000Z" -enddate "${last}000000Z" \
        -extfile "$work/$name.ext" -keyfile "$work/authority.key" -in "$work/$name.csr" -out "$work/$name.crt" "$@"
}
server() { # name, first day, last day, subject alternative names, options of `openssl ca`
    name=$1 first=$2 last=$3 names=$4
    shift 4
    printf '%s\n' "subjectAltName=$names" basicConstraints=critical,CA:FALSE keyUsage=critical,digitalSignature \
        extendedKeyUsage=serverAuth subjectKeyIdentifier=hash authorityKeyIdentifier=keyid |
        certificate "$name" "$first" "$last" "$@"
    cat "$work/$name.key" "$work/$name.crt" > "$name.pem"
}

printf '%s\n' basicConstraints=critical,CA:TRUE keyUsage=critical,keyCertSign,cRLSign subjectKeyIdentifier=hash |
    certificate authority 20000101 21000101 -selfsign
cp "$work/authority.crt" authority.pem
server good 20000101 21000101 IP:127.0.0.1,DNS:localhost -cert "$work/authority.crt"
server expired 20000101 20010101 IP:127.0.0.1,DNS:localhost -cert "$work/authority.crt"
server other-host 20000101 21000101 DNS:other.example -cert "$work/authority.crt"
server self-signed 20000101 21000101 IP:127.0.0.1,DNS:localhost -selfsign -keyfile "$work/self-signed.key"
