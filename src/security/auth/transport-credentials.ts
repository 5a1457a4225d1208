import type { ClientCertificate } from '../../platform/net/client-certificate.ts'

/** What came with the transport, as the verifiers of `auth/` need it. Never stored, never logged. */
export interface TransportCredentials {
  /** Raw `Authorization` header, when exactly one was sent. */
  readonly authorization: string | undefined
  /** Header names and values as received, in order, duplicates included. */
  readonly rawHeaders: readonly string[]
  readonly method: string
  /** Path and query as received. */
  readonly target: string
  readonly body: Uint8Array | undefined
  /** The transport has read the body as JSON in which no object names a member twice. */
  readonly isStrictJson?: boolean
  /** The caller's address; behind a trusted proxy the one that the proxy names. */
  readonly remoteAddress: string | undefined
  /** Of the TLS connection itself. */
  readonly clientCertificate?: ClientCertificate | undefined
}
