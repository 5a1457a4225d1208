import { X509Certificate } from 'node:crypto'
import { namesIn, pinnedName } from '../../platform/net/client-certificate.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { listPins, pinCertificate as pin, unpinCertificate as unpin } from '../../store/identity/client-certificates.ts'
import { defineAct } from '../act.ts'
import { logged, required, text } from '../fields.ts'
import { BUYER, NAMED_BUYER, namedBuyer } from '../named-buyer.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { boolean, list, object, pageOf, string } from '../shape.ts'

// Several acts in one file: they list, change and remove the same thing.

const NAME = required(text('dns:…, uri:…, email:…, ip:… or subject:…'))

/** The names of a certificate (PEM or DER) in the form in which they are pinned. Throws when it is no certificate. */
export function certificateNames(certificate: Uint8Array): readonly string[] {
  return namesIn(new X509Certificate(certificate))
}

/** Lets the holder of a client certificate with this name act as a buyer. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export const pinCertificate = defineAct({
  name: 'certificates.pin',
  route: 'POST /certificates',
  id: 'pinCertificate',
  roles: ADMINISTRATORS,
  summary: 'Lets the holder of a client certificate with this name act as a buyer.',
  fields: { buyer: BUYER, name: logged(NAME) },
  subject: 'buyer',
  answer: object({ buyer: string, name: string }),
  command: {
    args: ['buyer', 'name'],
    text: ({ buyer, name }) => [`${name} is ${buyer} now`],
    json: ({ buyer, name }, _, tenant) => ({ tenant, ...namedBuyer(buyer), name }),
  },
  async run({ store, tenantId, clock }, { buyer, name: given }) {
    const name = readName(given)
    await store.transaction((tx) => pin(tx, { tenantId, principalId: buyer, name }, clock()))
    return { buyer, name }
  },
})

/** The pinned names of a publisher's buyers. */
export const listCertificates = defineAct({
  name: 'certificates.list',
  route: 'GET /certificates',
  id: 'listCertificates',
  roles: READERS,
  summary: 'Names of client certificates, and the buyers that they belong to.',
  fields: {},
  answer: pageOf(object({ name: string, ...NAMED_BUYER })),
  command: {
    columns: [
      ['NAME', ({ name }) => name],
      ['BUYER', ({ buyer }) => buyer],
    ],
  },
  run: async ({ store, tenantId }) =>
    list((await listPins(store.read, tenantId)).map(({ name, principal }) => ({ name, ...namedBuyer(principal) }))),
})

/** Ends what {@link pinCertificate} began. Throws INVALID_REQUEST, REFERENCE_NOT_FOUND. */
export const unpinCertificate = defineAct({
  name: 'certificates.unpin',
  route: 'DELETE /certificates/{name}',
  id: 'unpinCertificate',
  roles: ADMINISTRATORS,
  summary: 'Removes a pinned name of a client certificate; running servers apply it at once.',
  fields: { name: NAME },
  answer: object({ name: string, removed: boolean }),
  command: {
    text: ({ name }) => [`${name} belongs to no buyer now`],
    json: (answer, _, tenant) => ({ tenant, ...answer }),
  },
  async watch(tx, { tenantId }, { name }) {
    const [pinned] = await listPins(tx, tenantId, readName(name))
    return pinned && { buyer: pinned.principal }
  },
  async run({ store, tenantId }, { name: given }) {
    const name = readName(given)
    await store.transaction((tx) => unpin(tx, tenantId, name))
    return { name, removed: true }
  },
})

/** A name in its pinned form. A wildcard would be a whole zone, and no certificate of an agent has one. */
function readName(text: string): string {
  const [, kind, value] = /^(dns|uri|email|ip|subject):(.+)$/s.exec(text) ?? []
  if (kind !== undefined && value !== undefined && !value.includes('*')) return pinnedName(kind, value)
  const message = `"${text}" is no name of a certificate; "certificates names FILE" shows them`
  throw new AdcpError('INVALID_REQUEST', message, { field: 'name' })
}
