import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { foreignJson } from '../decode/foreign-json.ts'

/** The certificate that a caller proved to hold in the TLS handshake. */
export interface ClientCertificate {
  /** Why it does not count: OpenSSL's code for a chain that does not lead to the configured authorities. Undefined: it does. */
  readonly flaw: string | undefined
  /**
   * What it certifies, each as `kind:value`: every `dns:`, `uri:`, `email:` and `ip:` of the subject alternative name, and
   * `subject:` with the whole distinguished name in the certificate's order.
   */
  readonly names: readonly string[]
}

/** Kinds of subject alternative name, as Node labels them. */
const KINDS: Readonly<Record<string, string>> = { DNS: 'dns', URI: 'uri', email: 'email', 'IP Address': 'ip' }

/** One entry of the alternative name: Node writes values that hold a separator as JSON strings (CVE-2021-44532). */
const ENTRY = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)/g

/** The verified peer of a TLS connection, or undefined when it showed no certificate. Headers have no say. */
export function clientCertificateOf(socket: Socket): ClientCertificate | undefined {
  if (!(socket instanceof TLSSocket)) return undefined
  const certificate = socket.getPeerX509Certificate()
  if (!certificate) return undefined
  return { flaw: socket.authorized ? undefined : String(socket.authorizationError), names: namesIn(certificate) }
}

/** Every name of a certificate, in the form in which names are pinned. */
export function namesIn(certificate: X509Certificate): readonly string[] {
  const alternative = [...(certificate.subjectAltName ?? '').matchAll(ENTRY)].flatMap(([, label = '', value = '']) => {
    const kind = KINDS[label]
    return kind === undefined ? [] : [pinnedName(kind, value.startsWith('"') ? String(foreignJson(value)) : value)]
  })
  const subject = (certificate.subject ?? '').trim()
  return [...alternative, ...(subject === '' ? [] : [`subject:${subject.split('\n').join(', ')}`])]
}

/** DNS names have no case (RFC 4343); everything else is compared as it is. */
export function pinnedName(kind: string, value: string): string {
  return `${kind}:${kind === 'dns' ? value.toLowerCase() : value}`
}
