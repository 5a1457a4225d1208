import { Command } from 'commander'
import type { ClaimQuestion } from '../domain/brand/judge-claim.ts'
import { askBrand, askInstruments, type BrandConfirmation } from '../operator/brands/ask-brand.ts'
import { parseJson } from '../platform/decode/parse-json.ts'
import { AdcpError } from '../protocol/errors.ts'
import { print } from './output.ts'
import { configOf, type StoreOptions, withAnswerOptions } from './store-options.ts'

interface Flags extends StoreOptions {
  readonly subsidiary?: string
  readonly parent?: string
  readonly property?: string
  readonly trademark?: string
  readonly registry?: string
  readonly number?: string
  readonly json?: boolean
}

/** `sales-agent brands ask DOMAIN`: asks another brand's agent and judges its signature. Exit code 1 when the answer is not the brand's own word. */
export function askBrandCommand(): Command {
  return withAnswerOptions(new Command('ask').description('ask the agent of a brand whether something belongs to it'))
    .argument('<domain>')
    .option('--subsidiary <domain>', 'is the brand at this domain a subsidiary?')
    .option('--parent <domain>', 'is this the parent house?')
    .option('--property <type:identifier>', 'e.g. website:site.example')
    .option('--trademark <mark>', 'with --registry and --number where several are registered')
    .option('--registry <name>', 'register of the trademark, e.g. USPTO')
    .option('--number <number>', 'its number in the register')
    .action(async (domain: string, flags: Flags) => {
      const confirmation = await askBrand(domain, questionOf(flags), askInstruments(configOf(flags), parseJson))
      if (confirmation.authorization?.trust !== 'trusted') process.exitCode = 1
      print(flags.json, confirmation, describe(confirmation))
    })
}

function questionOf({ subsidiary, parent, property, trademark, registry, number }: Flags): ClaimQuestion {
  const asked: ClaimQuestion[] = []
  if (subsidiary !== undefined) asked.push({ claim_type: 'subsidiary', claim: { subsidiary_domain: subsidiary } })
  if (parent !== undefined) asked.push({ claim_type: 'parent', claim: { parent_domain: parent } })
  if (property !== undefined) {
    const [type = '', ...rest] = property.split(':')
    asked.push({ claim_type: 'property', claim: { property: { type, identifier: rest.join(':') } } })
  }
  if (trademark !== undefined) {
    const more = { ...(registry !== undefined && { registry }), ...(number !== undefined && { number }) }
    asked.push({ claim_type: 'trademark', claim: { mark: trademark, ...more } })
  }
  const [question, ...others] = asked
  if (question && others.length === 0) return question
  throw new AdcpError('INVALID_REQUEST', 'ask one thing: --subsidiary, --parent, --property or --trademark')
}

function describe({ domain, agent_url, verification_status, details, context_note, ...rest }: BrandConfirmation): string[] {
  const { signature_fault: fault, authorization } = rest
  const trust =
    authorization?.trust === 'trusted'
      ? `signed with ${authorization.kid}, which ${domain} names`
      : `not the word of ${domain}: ${fault ?? authorization?.reason ?? 'it is not signed'}`
  return [
    `${verification_status} (${agent_url})`,
    ...(details ? [JSON.stringify(details)] : []),
    ...(context_note === undefined ? [] : [context_note]),
    trust,
  ]
}
