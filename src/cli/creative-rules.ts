import { Command } from 'commander'
import {
  CREATIVE_RULES,
  NO_RULE,
  type ShownCreativeRules,
  setCreativeRule,
  showCreativeRules,
} from '../operator/creatives/creative-rules.ts'
import { listPrincipals } from '../operator/principals/list-principals.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table } from './output.ts'
import { withStoreOptions } from './store-options.ts'

interface Options extends TenantOption {
  readonly principal?: string
  readonly advertiser?: string
  readonly json?: boolean
}

/** `sales-agent creatives rules list|set|remove`: what becomes of the creatives that a buyer sends from now on. */
export function creativeRulesCommand(): Command {
  const rules = new Command('rules').description('what becomes of the creatives of a buyer, or of one of its advertisers')
  withStoreOptions(rules.command('list').description('list the rules, by buyer and advertiser'))
    .option('--tenant <id>')
    .option('--principal <id>', 'of one buyer agent (default: of every one)')
    .option('--json')
    .action(listAction)
  withStoreOptions(rules.command('set <principal> <rule>').description(`set a rule: ${CREATIVE_RULES.join(', ')}`))
    .option('--tenant <id>')
    .option('--advertiser <domain>', 'for creatives of this brand alone; it comes before the rule of the buyer')
    .option('--json')
    .action((principalId: string, rule: string, options: Options) => changeAction(principalId, rule, options))
  withStoreOptions(rules.command('remove <principal>').description('take a rule away, so that the next wider one counts again'))
    .option('--tenant <id>')
    .option('--advertiser <domain>', 'the rule of this brand (default: the rule of the buyer)')
    .option('--json')
    .action((principalId: string, options: Options) => changeAction(principalId, NO_RULE, options))
  return rules
}

function listAction(options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { principal } = options
    const buyers =
      principal === undefined ? (await listPrincipals(operator, tenantId)).map((each) => each.principal) : [principal]
    const rows = []
    for (const principalId of buyers)
      rows.push(...rowsOf(principalId, await showCreativeRules(operator, { tenantId, principalId })))
    const cells = rows.map(({ principal: buyer, advertiser, rule }) => [buyer, advertiser ?? 'every other', rule])
    printList(options.json, rows, table(['BUYER', 'ADVERTISER', 'RULE'], cells))
  })
}

function changeAction(principalId: string, rule: string, options: Options): Promise<void> {
  return operateFor(options, async (operator, tenantId) => {
    const { advertiser } = options
    const shown = await setCreativeRule(operator, { tenantId, principalId, advertiser, rule })
    const whose = `creatives of ${principalId}${advertiser === undefined ? '' : ` for ${advertiser}`}`
    const done = rule === NO_RULE ? `${whose} have no rule of their own now` : `${whose}: ${rule}, from the next one on`
    print(options.json, { principal: principalId, ...shown }, [done])
  })
}

interface Row {
  readonly principal: string
  /** Domain of the brand; null: every advertiser without a rule of its own. */
  readonly advertiser: string | null
  readonly rule: string
}

function rowsOf(principal: string, { buyer, advertisers }: ShownCreativeRules): Row[] {
  const own = advertisers.map(({ domain, rule }) => ({ principal, advertiser: domain, rule }))
  return buyer === NO_RULE ? own : [...own, { principal, advertiser: null, rule: buyer }]
}
