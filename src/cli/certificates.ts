import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { certificateNames, listCertificates, pinCertificate, unpinCertificate } from '../operator/certificates/pin-certificate.ts'
import { AdcpError } from '../protocol/errors.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface CertificateOptions extends TenantOption {
  readonly file?: string
  readonly json?: boolean
}

/** `sales-agent certificates names|pin|list|unpin`: agents that prove themselves by a client certificate (mTLS). */
export function certificatesCommand(): Command {
  const certificates = new Command('certificates')
  certificates
    .command('names <file>')
    .description('show the names of a certificate in the form in which they are pinned')
    .option('--json')
    .action((file: string, options: CertificateOptions) => {
      const names = namesOf(file)
      printList(options.json, names, names)
    })
  withStoreOptions(
    certificates
      .command('pin <principal> <name>')
      .description('let the holder of a certificate with this name act as the agent: dns:…, uri:…, email:…, ip:… or subject:…'),
  )
    .option('--tenant <id>')
    .option('--json')
    .action((principalId: string, text: string, options: CertificateOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const name = await pinCertificate(operator, { tenantId, principalId, name: text })
        print(options.json, { tenant: tenantId, principal: principalId, name }, [`${name} is ${principalId} of ${tenantId} now`])
      }),
    )
  withStoreOptions(certificates.command('list').description('list the pinned names'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: CertificateOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const pins = await listCertificates(operator, tenantId)
        printList(
          options.json,
          pins,
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
      operateFor(options, async (operator, tenant) => {
        const name = await unpinCertificate(operator, { tenantId: tenant, name: text })
        print(options.json, { tenant, name, removed: true }, [`${name} belongs to no agent in ${tenant} now`])
      }),
    )
  return certificates
}

function namesOf(file: string): readonly string[] {
  try {
    return certificateNames(readFileSync(file))
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${file} is no certificate`, { field: 'file', cause })
  }
}
