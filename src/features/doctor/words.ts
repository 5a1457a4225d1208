/** Why a TLS connection fails, by the code of Node or OpenSSL, and what to do. */
const CONNECTION: Readonly<Record<string, readonly [text: string, advice: string]>> = {
  ENOTFOUND: ['the host name does not exist', 'create the DNS record, or mend publicUrl'],
  ECONNREFUSED: ['nothing listens at this address and port', 'start the server, or mend the port and the proxy'],
  ETIMEDOUT: ['no answer', 'check firewall and routing'],
  CERT_HAS_EXPIRED: ['the certificate has expired', 'renew it; a running server reads the new file within a minute'],
  CERT_NOT_YET_VALID: ['the certificate is not valid yet', 'check the clocks of this machine and of the certificate authority'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['the certificate is for another name', 'get one whose subject alternative name is this host'],
  DEPTH_ZERO_SELF_SIGNED_CERT: [
    'the certificate is self-signed',
    'buyers trust public authorities only: get a certificate of one',
  ],
  SELF_SIGNED_CERT_IN_CHAIN: ['the chain ends in a root that is not public', 'use a certificate of a public authority'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['the chain is incomplete', 'put the intermediate certificates behind the leaf in tls.cert'],
  CERT_SIGNATURE_FAILURE: ['the chain does not lead to its root', 'use a certificate of a public authority, with its own chain'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['the chain is incomplete', 'put the intermediate certificates behind the leaf in tls.cert'],
  ERR_SSL_UNSUPPORTED_PROTOCOL: ['the server speaks no TLS of this age', 'offer TLS 1.2 and 1.3'],
  EPROTO: ['this is not TLS', 'the port serves plain HTTP: set tls, or put a proxy in front'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['this is not TLS', 'the port serves plain HTTP: set tls, or put a proxy in front'],
}

/** Words for a failed connection. */
export function connectionWords(error: unknown): readonly [text: string, advice: string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return CONNECTION[code] ?? [`the connection fails (${code || 'no reason given'})`, 'try the address with another client']
}

/** Why the chain or a signature is refused, by the code without its profile (AdCP transport error taxonomy). */
const SIGNATURE: Readonly<Record<string, readonly [text: string, advice: string]>> = {
  signature_capabilities_unreachable: ['the agent does not answer get_adcp_capabilities', 'mend the agent first'],
  signature_brand_json_url_missing: [
    'the capabilities name no https brand_json_url',
    'set publicUrl to the https address of the agent',
  ],
  signature_brand_json_unreachable: ['brand.json cannot be fetched', 'serve it with status 200 and no redirect, at most 256 KiB'],
  signature_brand_json_malformed: [
    'brand.json cannot be read',
    'it has to be strict JSON without repeated keys, and point on once at most',
  ],
  signature_brand_origin_mismatch: [
    'brand.json is of another domain than the agent',
    'list the agent’s domain in its authorized_operators[], or serve both under one registrable domain',
  ],
  signature_agent_not_in_brand_json: [
    'brand.json does not list the agent',
    'put the entry of "identity show" into agents[]; the URL is compared byte for byte',
  ],
  signature_brand_json_ambiguous: ['brand.json lists the agent more than once', 'leave one agents[] entry with this URL'],
  signature_key_origin_mismatch: [
    'the keys are not at the origin that the capabilities declare',
    'make jwks_uri and identity.key_origins agree',
  ],
  signature_key_origin_missing: [
    'the capabilities declare signing without saying where the keys are',
    'declare identity.key_origins.request_signing',
  ],
  signature_jwks_untrusted: [
    'an address of the chain is not public',
    'no address of the chain may be private, redirect, or be plain http',
  ],
  signature_jwks_unavailable: ['the key set cannot be fetched', 'serve it with status 200 and no redirect, at most 64 KiB'],
  signature_key_unknown: [
    'the server does not know this agent’s key',
    'the server at this address works on another store: compare its key set with "identity show"',
  ],
  signature_key_revoked: ['the key is revoked at the server', 'rotate: sales-agent identity rotate --compromised'],
  signature_key_purpose_invalid: [
    'the key is not for signing requests',
    'publish it with adcp_use request-signing and key_ops verify',
  ],
  signature_window_invalid: [
    'the signature’s time window is refused',
    'the clocks of both machines are more than a minute apart',
  ],
  signature_invalid: [
    'the signature does not fit',
    'something between caller and server changes the host, the path or the method: publicUrl has to be what callers use',
  ],
  signature_digest_mismatch: ['the body was changed on the way', 'a proxy rewrites bodies; switch that off'],
  signature_header_malformed: ['the signature headers arrive broken', 'a proxy rewrites or drops Signature and Signature-Input'],
  signature_required: ['the server sees no signature', 'a proxy drops the headers Signature and Signature-Input'],
  signature_components_incomplete: [
    'the server wants more of the request covered',
    'let the signer cover content-digest, or compare signing.contentDigest with what signers cover',
  ],
}

/** Words for a code such as `request_signature_invalid` or `signature_invalid`. */
export function signatureWords(code: string): readonly [text: string, advice: string] {
  return (
    SIGNATURE[code.replace(/^(request|webhook)_/, '')] ?? [
      `it is refused with ${code}`,
      'look the code up in the AdCP signing guide',
    ]
  )
}
