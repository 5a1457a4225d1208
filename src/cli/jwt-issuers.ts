import { Command, InvalidArgumentError } from 'commander'
import type { JwtAlgorithm } from '../domain/identity/jwt-issuer-settings.ts'
import { AdcpError } from '../protocol/errors.ts'

import { listJwtIssuers, removeJwtIssuer, saveJwtIssuer } from '../store/identity/jwt-issuers.ts'
import { addJwtSubject } from '../store/identity/jwt-subjects.ts'
import { httpsUrl } from './agents.ts'
import { asOperator } from './as-operator.ts'
import { print, table } from './output.ts'
import { chooseTenant, type StoreOptions, withStore, withStoreOptions } from './store.ts'

interface IssuerOptions extends StoreOptions {
  readonly tenant?: string
  readonly audience?: string
  readonly jwksUri?: string
  readonly algorithms?: string
  readonly maxAge?: number
  readonly principal?: string
  readonly json?: boolean
}

const ALGORITHMS: readonly JwtAlgorithm[] = ['EdDSA', 'ES256', 'ES384', 'PS256', 'PS512', 'RS256']

/** AdCP guidance: an hour for reads; a publisher who sells by token sets less. */
const MAX_AGE_SECONDS = 3600

/** `sales-agent jwt-issuers add|list|map|remove`: authorization servers whose tokens count. */
export function jwtIssuersCommand(): Command {
  const issuers = new Command('jwt-issuers').description('authorization servers whose JWTs are accepted as Bearer tokens')
  withStoreOptions(issuers.command('add <issuer>').description('trust an issuer, or change how it is trusted'))
    .option('--tenant <id>')
    .requiredOption('--audience <aud>', 'what its tokens for this agent name in aud')
    .requiredOption('--jwks-uri <url>', 'the address of its public keys')
    .option('--algorithms <list>', `of ${ALGORITHMS.join(',')}`, 'EdDSA,ES256')
    .option('--max-age <seconds>', 'longest time since iat', seconds, MAX_AGE_SECONDS)
    .option('--json')
    .action((issuer: string, options: IssuerOptions) =>
      withStore(options, async (store) => {
        const settings = {
          tenantId: await chooseTenant(store, options.tenant),
          issuer,
          audience: options.audience ?? '',
          jwksUri: httpsUrl(options.jwksUri ?? '', 'jwks-uri'),
          algorithms: algorithmsOf(options.algorithms ?? ''),
          maxAgeSeconds: options.maxAge ?? MAX_AGE_SECONDS,
        }
        await asOperator(store, { task: 'jwt-issuers.add', tenant: settings.tenantId, subject: issuer }).transaction((tx) =>
          saveJwtIssuer(tx, settings, new Date()),
        )
        print(options.json, settings, [
          `${settings.tenantId} trusts ${issuer}; let its subjects in with: sales-agent jwt-issuers map ${issuer} SUBJECT --principal ID`,
        ])
      }),
    )
  withStoreOptions(issuers.command('map <issuer> <subject>').description('let a subject of an issuer act as a principal'))
    .option('--tenant <id>')
    .requiredOption('--principal <id>')
    .option('--json')
    .action((issuer: string, subject: string, options: IssuerOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        const entry = { tenantId, principalId: options.principal ?? '', issuer, subject }
        await asOperator(store, { task: 'jwt-issuers.map', tenant: tenantId, subject: entry.principalId }).transaction((tx) =>
          addJwtSubject(tx, entry, new Date()),
        )
        print(options.json, entry, [`${subject} of ${issuer} acts as ${entry.principalId} of ${tenantId}`])
      }),
    )
  withStoreOptions(issuers.command('list').description('list the trusted issuers'))
    .option('--tenant <id>')
    .option('--json')
    .action((options: IssuerOptions) =>
      withStore(options, async (store) => {
        const rows = await listJwtIssuers(store.read, options.tenant)
        print(
          options.json,
          { issuers: rows },
          table(
            ['TENANT', 'ISSUER', 'AUDIENCE', 'ALGORITHMS', 'MAX AGE'],
            rows.map((row) => [row.tenantId, row.issuer, row.audience, row.algorithms.join(','), `${row.maxAgeSeconds} s`]),
          ),
        )
      }),
    )
  withStoreOptions(issuers.command('remove <issuer>').description('trust an issuer no longer'))
    .option('--tenant <id>')
    .option('--json')
    .action((issuer: string, options: IssuerOptions) =>
      withStore(options, async (store) => {
        const tenantId = await chooseTenant(store, options.tenant)
        await asOperator(store, { task: 'jwt-issuers.remove', tenant: tenantId, subject: issuer }).transaction((tx) =>
          removeJwtIssuer(tx, tenantId, issuer),
        )
        print(options.json, { tenant: tenantId, issuer, removed: true }, [`${tenantId} no longer trusts ${issuer}`])
      }),
    )
  return issuers
}

function algorithmsOf(list: string): readonly JwtAlgorithm[] {
  return list.split(',').map((name) => {
    const known = ALGORITHMS.find((algorithm) => algorithm === name.trim())
    if (known) return known
    throw new AdcpError('INVALID_REQUEST', `"${name}" is none of ${ALGORITHMS.join(', ')}`, { field: 'algorithms' })
  })
}

function seconds(text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > 86_400) throw new InvalidArgumentError('1 to 86400 seconds')
  return number
}
