import { X509Certificate } from 'node:crypto'
import { namesIn, pinnedName } from '../../platform/net/client-certificate.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listPins, pinCertificate as pin, unpinCertificate as unpin } from '../../store/identity/client-certificates.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** The names of a certificate (PEM or DER) in the form in which they are pinned. Throws when it is no certificate. */
export function certificateNames(certificate: Uint8Array): readonly string[] {
  return namesIn(new X509Certificate(certificate))
}

/** Lets the holder of a client certificate with this name act as an agent. Gives the name as it is pinned. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export async function pinCertificate(
  context: OperatorContext,
  input: { readonly tenantId: string; readonly principalId: string; readonly name: string },
): Promise<string> {
  const { tenantId, principalId } = input
  const name = readName(input.name)
  const store = auditedStore(context, { task: 'certificates.pin', tenant: tenantId, subject: principalId })
  await store.transaction((tx) => pin(tx, { tenantId, principalId, name }, context.clock()))
  return name
}

/** The pinned names of a publisher's agents. */
export function listCertificates({ store }: OperatorContext, tenantId: string) {
  return listPins(store.read, tenantId)
}

/** Ends what {@link pinCertificate} began. Gives the name as it was pinned. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export async function unpinCertificate(
  context: OperatorContext,
  input: { readonly tenantId: string; readonly name: string },
): Promise<string> {
  const name = readName(input.name)
  const store = auditedStore(context, { task: 'certificates.unpin', tenant: input.tenantId, subject: name })
  await store.transaction((tx) => unpin(tx, input.tenantId, name))
  return name
}

/** A name in its pinned form. A wildcard would be a whole zone, and no certificate of an agent has one. */
function readName(text: string): string {
  const [, kind, value] = /^(dns|uri|email|ip|subject):(.+)$/s.exec(text) ?? []
  if (kind !== undefined && value !== undefined && !value.includes('*')) return pinnedName(kind, value)
  const message = `"${text}" is no name of a certificate; "certificates names FILE" shows them`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'name' })
}
