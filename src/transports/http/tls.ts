import { constants } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { RequestListener, ServerOptions } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { SecureContextOptions, TlsOptions } from 'node:tls'
import type { Logger } from 'pino'
import { AdcpError } from '../../protocol/errors.ts'

/** PEM files of the listener, by path. */
export interface TlsFiles {
  readonly cert: string
  readonly key: string
  /** Authorities whose client certificates count. */
  readonly clientCa?: string
  readonly clientCrl?: string
}

/** Certificates are renewed while the server runs; a new one is served within this time. */
const RELOAD_MS = 60_000

/** AdCP security: TLS 1.2 or newer, on 1.2 only AEAD suites with ephemeral ECDH (RFC 9325 §4.2). The last three are TLS 1.3. */
export const CIPHERS = [
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
].join(':')

/**
 * An HTTPS server. With `clientCa` it asks for a client certificate and lets callers in without a good one: whether it counts is for
 * the verifier to say, with a real reply. Throws CONFIGURATION_ERROR for files that make no certificate.
 */
export function createTlsServer(files: TlsFiles, options: ServerOptions, log: Logger, listener: RequestListener): Server {
  const asksForCertificate: TlsOptions = { requestCert: files.clientCa !== undefined, rejectUnauthorized: false }
  const server = createServer({ ...options, ...asksForCertificate, ...contextOf(files) }, listener)
  let loaded = versionOf(files)
  const timer = setInterval(() => {
    try {
      const found = versionOf(files)
      if (found === loaded) return
      server.setSecureContext(contextOf(files))
      loaded = found
      log.info('certificate read again')
    } catch (error) {
      // Half-written files are normal while they are replaced; the old certificate serves on.
      log.error({ err: error }, 'certificate cannot be read again')
    }
  }, RELOAD_MS).unref()
  return server.once('close', () => clearInterval(timer))
}

function contextOf({ cert, key, clientCa, clientCrl }: TlsFiles): SecureContextOptions {
  try {
    return {
      cert: readFileSync(cert),
      key: readFileSync(key),
      ...(clientCa !== undefined && { ca: readFileSync(clientCa) }),
      ...(clientCrl !== undefined && { crl: readFileSync(clientCrl) }),
      minVersion: 'TLSv1.2',
      ciphers: CIPHERS,
      honorCipherOrder: true,
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION,
    }
  } catch (cause) {
    throw new AdcpError('CONFIGURATION_ERROR', 'a file of the tls settings cannot be read', { field: 'tls', cause })
  }
}

function versionOf(files: TlsFiles): string {
  return Object.values(files)
    .map((path) => `${path} ${statSync(path).mtimeMs}`)
    .join('\n')
}
