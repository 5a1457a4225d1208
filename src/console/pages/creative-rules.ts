import { NO_RULE, setCreativeRule, showCreativeRules } from '../../operator/creatives/creative-rules.ts'
import { requireDomain } from '../../operator/domain-name.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { doAct, may } from '../do-act.ts'
import { storedFormRoute, withRefusal } from '../form-outcome.ts'
import { written } from '../form-text.ts'
import { type Html, html } from '../html.ts'
import { choice, csrfField, limits, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, redirect, type TenantCall } from '../route.ts'
import { filledForm, type Inputs, type SentForm, sentTo, shownField } from '../shown-form.ts'
import { accountsOf } from './buyer-accounts.ts'

const LABELS: ReadonlyMap<string, string> = new Map([['rule', 'The rule for its creatives']])

/** What becomes of the creatives of a buyer, on the page of the buyer. */
export function creativeRuleRoutes(buyerPage: (call: TenantCall) => Promise<Answer>): readonly ConsoleRoute[] {
  const form = { labels: LABELS, read: readRule, save: saveRule, again: withRefusal(buyerPage) }
  return [storedFormRoute('/buyers/{id}/creative-rules', setCreativeRule, form)]
}

const RULES = [
  ['approve', 'are approved as they arrive'],
  ['review', 'wait for a person'],
  ['refuse', 'are refused'],
] as const

/** The rule of a buyer and those of its advertisers, with forms for those who may change them. */
export async function creativeRulePanel(call: TenantCall, buyerId: string): Promise<Html> {
  const { base, tenant } = call
  const { rule: own, advertisers } = await doAct(call, showCreativeRules, { buyer: buyerId })
  const forAll = tenant.settings.creative_review === 'manual' ? 'wait for a person' : 'are decided by rules'
  const options = [[NO_RULE, `as for every buyer: ${forAll}`] as const, ...RULES]
  const titleOf = (rule: string) => options.find(([value]) => value === rule)?.[1] ?? rule
  const action = `${base}/buyers/${encodeURIComponent(buyerId)}/creative-rules`
  const mayChange = may(call, setCreativeRule)
  const sent = sentTo(call, action)
  /** The list of rules of a form; without an advertiser, of those that have none of their own. */
  const ruleForm = (
    id: string,
    label: string,
    rules: readonly (readonly [string, string])[],
    stored: string,
    advertiser = '',
  ) => {
    const isSent = (sent.get('advertiser') ?? '') === advertiser
    const chosen = filledForm(isSent ? sent : new URLSearchParams(), { rule: stored }).get('rule') ?? stored
    return html`${csrfField(call)}${shownField({ rule: stored })}${choice(id, label, rules, chosen, 'rule')}`
  }
  const hint = html`<p class="hint">For creatives that arrive from now on. Files that are not served over https are refused in any case. Creatives that are already pending are in <a href="${base}/creatives">Creatives</a>.</p>`
  const rows = advertisers.map(({ domain, rule }) => [
    domain,
    mayChange
      ? html`<form class="filters" method="post" action="${action}"><input type="hidden" name="advertiser" value="${domain}">${ruleForm(`rule-${domain}`, `Creatives for ${domain}`, [[NO_RULE, 'as those of the buyer'], ...RULES], rule, domain)}<button aria-label="${`Save the rule for ${domain}`}">Save</button></form>`
      : titleOf(rule),
  ])
  const list = rows.length > 0 && table('Advertisers with a rule of their own', ['Advertiser', 'Its creatives'], rows)
  if (!mayChange) return html`<section class="panel"><h2>Its creatives</h2><p>They ${titleOf(own)}.</p>${list}</section>`
  const known = (await accountsOf(call, buyerId)).flatMap(({ advertiser }) => advertiser ?? [])
  const domains = [...new Set(known)].map((domain) => html`<option value="${domain}"></option>`)
  return html`<section class="panel" id="creatives"><h2>Its creatives</h2><form class="filters" method="post" action="${action}">${ruleForm('rule-of-buyer', 'Creatives of this buyer', options, own)}<button aria-label="Save the rule for this buyer">Save</button></form>
${list}<details><summary>A rule for one advertiser</summary><form class="filters" method="post" action="${action}">${csrfField(call)}${shownField({ rule: NO_RULE })}<input type="hidden" name="new" value="yes"><div class="field"><label for="advertiser">Domain of the advertiser</label><input id="advertiser" name="advertiser" list="advertisers"${limits(setCreativeRule.fields.advertiser, true)} autocomplete="off"><datalist id="advertisers">${domains}</datalist></div>${choice('rule-of-advertiser', 'Its creatives', RULES, 'review', 'rule')}<button>Add the rule</button></form></details>${hint}</section>`
}

/** The rule that a form is of: that of its advertiser, or of the buyer. Throws CONFLICT for a new rule of an advertiser that has one, so that none is replaced unseen. */
async function readRule(call: TenantCall): Promise<Inputs> {
  const { rule, advertisers } = await doAct(call, showCreativeRules, { buyer: call.params.id ?? '' })
  const advertiser = written(call.form, 'advertiser')
  if (advertiser === undefined) return { rule }
  const named = requireDomain(advertiser, 'advertiser')
  const found = advertisers.find(({ domain }) => domain === named)
  if (found && call.form.get('new') === 'yes')
    throw new AdcpError('CONFLICT', `there is a rule for ${named}, ${found.rule}: change it in the list`, { field: 'advertiser' })
  return { rule: found?.rule ?? NO_RULE }
}

async function saveRule(call: TenantCall, { filled }: SentForm): Promise<Answer> {
  const { params, form, base } = call
  const buyer = params.id ?? ''
  const advertiser = written(form, 'advertiser')
  await doAct(call, setCreativeRule, { buyer, advertiser, rule: filled.get('rule') ?? '' })
  return redirect(`${base}/buyers/${encodeURIComponent(buyer)}`, 'changed')
}
