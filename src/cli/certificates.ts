import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { namesIn, pinnedName } from '../platform/net/client-certificate.ts'
import { AdcpError } from '../protocol/errors.ts'
import { listPins, pinCertificate, unpinCertificate } from '../store/identity/client-certificates.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface CertificateOptions extends StoreOptions {
  readonly tenant?: string
  readonly file?: string
  readonly json?: boolean
}

/** `sales-agent certificates names|pin|list|unpin`: agents that prove themselves by a client certificate (mTLS). */
export function certificatesCommand(): Command {
  const certificates = new Command('certificates').description(
    'client certificates: which of their names stands for which agent (needs tls.clientCa)',
  )
  certificates
    .command('names <file>')
    .description('show the names of a certificate in the form in which they are pinned')
    .option('--json')
    .action((file: string, options: CertificateOptions) => {
      const names = namesOf(file)
      print(options.json, { names }, names)
    })
  withStoreOptions(
    certificates
      .command('pin <principal> <name>')
      .description('let the holder of a certificate with this name act as the agent: dns:…, uri:…, email:…, ip:… or subject:…'),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((principalId: string, text: string, options: CertificateOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const name = nameOf(text)
        await asOperator(store, { task: 'certificates.pin', tenant: tenantId, subject: principalId }).transaction((tx) =>
          pinCertificate(tx, { tenantId, principalId, name }, new Date()),
        )
        print(options.json, { tenant: tenantId, principal: principalId, name }, [`${name} is ${principalId} of ${tenantId} now`])
      }),
    )
  withStoreOptions(certificates.command('list').description('list the pinned names'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: CertificateOptions) =>
      withStore(options, async (store) => {
        const pins = await listPins(store.read, await chooseTenant(store, options.tenant))
        print(
          options.json,
          { certificates: pins },
          table(
            ['NAME', 'PRINCIPAL'],
            pins.map((pin) => [pin.name, pin.principal]),
          ),
        )
      }),
    )
  withStoreOptions(certificates.command('unpin <name>').description('end it; a running server knows at once'))
    .option('--tenant <id>')
    .option('--json')
    .action((text: string, options: CertificateOptions) =>
      withStore(options, async (store) => {
        const tenant = await chooseTenant(store, options.tenant)
        const name = nameOf(text)
        await asOperator(store, { task: 'certificates.unpin', tenant, subject: name }).transaction((tx) =>
          unpinCertificate(tx, tenant, name),
        )
        print(options.json, { tenant, name, removed: true }, [`${name} stands for nobody in ${tenant} now`])
      }),
    )
  return certificates
}

/** A name in its pinned form. A wildcard would be a whole zone, and no certificate of an agent has one. Throws INVALID_REQUEST. */
function nameOf(text: string): string {
  const [, kind, value] = /^(dns|uri|email|ip|subject):(.+)$/s.exec(text) ?? []
  if (kind === undefined || value === undefined || value.includes('*'))
    throw new AdcpError('INVALID_REQUEST', `"${text}" is no name of a certificate; "certificates names FILE" shows them`, {
      field: 'name',
    })
  return pinnedName(kind, value)
}

function namesOf(file: string): readonly string[] {
  try {
    return namesIn(new X509Certificate(readFileSync(file)))
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${file} is no certificate`, { field: 'file', cause })
  }
}
