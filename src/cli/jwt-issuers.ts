import { Command, InvalidArgumentError } from 'commander'
import { JWT_ALGORITHMS, listIssuers, mapSubject, removeIssuer, trustIssuer } from '../operator/jwt-issuers/trust-issuer.ts'
import { snakeMembers } from '../operator/snake-members.ts'
import { operate, operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface IssuerOptions extends TenantOption {
  readonly audience?: string
  readonly jwksUri?: string
  readonly algorithms?: string
  readonly maxAge?: number
  readonly foreignScopes?: string
  readonly principal?: string
  readonly json?: boolean
}

/** AdCP guidance: an hour for reads; a publisher who sells by token sets less. */
const MAX_AGE_SECONDS = 3600

/** `sales-agent jwt-issuers add|list|map|remove`: authorization servers whose tokens count. */
export function jwtIssuersCommand(): Command {
  const issuers = new Command('jwt-issuers')
  withStoreOptions(issuers.command('add <issuer>').description('trust an issuer, or change how it is trusted'))
    .option('--tenant <id>')
    .requiredOption('--audience <aud>', 'what its tokens for this agent name in aud')
    .requiredOption('--jwks-uri <url>', 'the address of its public keys')
    .option('--algorithms <list>', `of ${JWT_ALGORITHMS.join(',')}`, 'EdDSA,ES256')
    .option('--max-age <seconds>', 'longest time since iat', seconds, MAX_AGE_SECONDS)
    .option('--foreign-scopes <inherit|none>', 'what tokens may do that name only scopes such as openid (default: inherit)')
    .option('--json')
    .action((issuer: string, options: IssuerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const { audience = '', jwksUri = '', algorithms = '', maxAge: maxAgeSeconds = MAX_AGE_SECONDS } = options
        const { foreignScopes } = options
        const input = { tenantId, issuer, audience, jwksUri, algorithms: algorithms.split(','), maxAgeSeconds, foreignScopes }
        const settings = await trustIssuer(operator, input)
        print(options.json, snakeMembers(settings), [
          `${settings.tenantId} trusts ${issuer}; let its subjects in with: sales-agent jwt-issuers map ${issuer} SUBJECT --principal ID`,
        ])
      }),
    )
  withStoreOptions(issuers.command('map <issuer> <subject>').description('let a subject of an issuer act as a principal'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--json')
    .action((issuer: string, subject: string, options: IssuerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        const entry = { tenantId, principalId: options.principal ?? '', issuer, subject }
        await mapSubject(operator, entry)
        print(options.json, snakeMembers(entry), [`${subject} of ${issuer} acts as ${entry.principalId} of ${tenantId}`])
      }),
    )
  withStoreOptions(issuers.command('list').description('list the trusted issuers'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: IssuerOptions) =>
      operate(options, async (operator) => {
        const rows = await listIssuers(operator, options.tenant)
        printList(
          options.json,
          rows.map(snakeMembers),
          table(
            ['TENANT', 'ISSUER', 'AUDIENCE', 'ALGORITHMS', 'MAX AGE', 'FOREIGN SCOPES'],
            rows.map((row) => [
              ...[row.tenantId, row.issuer, row.audience, row.algorithms.join(',')],
              ...[`${row.maxAgeSeconds} s`, row.foreignScopes],
            ]),
          ),
        )
      }),
    )
  withStoreOptions(issuers.command('remove <issuer>').description('trust an issuer no longer'))
    .option('--tenant <id>')
    .option('--json')
    .action((issuer: string, options: IssuerOptions) =>
      operateFor(options, async (operator, tenantId) => {
        await removeIssuer(operator, { tenantId, issuer })
        print(options.json, { tenant: tenantId, issuer, removed: true }, [`${tenantId} no longer trusts ${issuer}`])
      }),
    )
  return issuers
}

function seconds(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > 86_400) throw new InvalidArgumentError('1 to 86400 seconds')
  return number
}
