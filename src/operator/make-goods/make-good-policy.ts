import { DEFAULT_MAKE_GOODS, MAKE_GOOD_POLICIES, type MakeGoodPolicy, WAIT_DAYS } from '../../domain/identity/make-good-policy.ts'
import { MAKE_GOOD_REMEDIES } from '../../domain/media-buy/make-good-terms.ts'
import { findTenant, saveTenantSettings } from '../../store/identity/tenants.ts'
import { defineAct } from '../act.ts'
import { changedMembers } from '../changed-members.ts'
import { between, count, oneOf } from '../fields.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { about, integer, moment, named, type Of, object, orNull, word } from '../shape.ts'

// Several acts in one file: they list, change and remove the same thing.

const policyShape = named(
  'MakeGoodPolicy',
  about(
    'What this program does of itself when a guaranteed line ended short.',
    object({
      how: about(
        `never: nothing; propose: people see what can be offered; offer: ${WAIT_DAYS} days after its end it is offered, and agreed at once where the order is of your people`,
        word(...MAKE_GOOD_POLICIES),
      ),
      remedy: about('what is offered', word(...MAKE_GOOD_REMEDIES)),
      missing_percent: about('less than so many per cent of what was ordered is left alone', integer),
      since: about('since when it offers: lines that ended before are for people; null: it does not offer', orNull(moment)),
    }),
  ),
)
type ShownPolicy = Of<typeof policyShape>

/** What a publisher does of itself when a guaranteed line ended short. */
export const showMakeGoodPolicy = defineAct({
  name: 'make-goods.show-policy',
  route: 'GET /make-goods/policy',
  id: 'showMakeGoodPolicy',
  roles: READERS,
  summary: 'The policy for guaranteed lines that ended short: what is done without a person.',
  fields: {},
  answer: policyShape,
  command: { words: 'make-goods policy show', text: policyLines },
  run: async ({ store, tenantId }) => presentPolicy((await findTenant(store.read, tenantId))?.settings.makeGoods),
})

/** Changes what a publisher does of itself when a guaranteed line ended short; members that are absent stay. */
export const setMakeGoodPolicy = defineAct({
  name: 'make-goods.policy',
  route: 'PATCH /make-goods/policy',
  id: 'setMakeGoodPolicy',
  roles: ADMINISTRATORS,
  summary: 'Changes the policy for guaranteed lines that ended short: what is done without a person.',
  fields: {
    how: oneOf(MAKE_GOOD_POLICIES, 'never: nothing; propose: people decide; offer: make-goods are offered without them'),
    remedy: oneOf(MAKE_GOOD_REMEDIES, 'what is offered; a credit only where the line has a flat price'),
    missing_percent: between(1, 100, count('per cent of what was ordered that must be missing, 1 to 100; default 1')),
  },
  answer: policyShape,
  command: { words: 'make-goods policy set', text: policyLines },
  run: ({ store, tenantId, clock, noteAllChanges }, { how, remedy, missing_percent: missingPercent }) =>
    store.transaction(async (tx) => {
      const settings = (await findTenant(tx, tenantId))?.settings ?? {}
      const { since, ...before } = settings.makeGoods ?? DEFAULT_MAKE_GOODS
      const changed: MakeGoodPolicy = {
        ...before,
        ...(how !== undefined && { how }),
        ...(remedy !== undefined && { remedy }),
        ...(missingPercent !== undefined && { missingPercent }),
      }
      const makeGoods = { ...changed, ...(changed.how === 'offer' && { since: since ?? clock().toISOString() }) }
      await saveTenantSettings(tx, tenantId, { ...settings, makeGoods })
      noteAllChanges(changedMembers(presentPolicy(settings.makeGoods), presentPolicy(makeGoods)))
      return presentPolicy(makeGoods)
    }),
})

function presentPolicy({ how, remedy, missingPercent, since }: MakeGoodPolicy = DEFAULT_MAKE_GOODS): ShownPolicy {
  return { how, remedy, missing_percent: missingPercent, since: since ?? null }
}

function policyLines({ how, remedy, missing_percent: percent }: ShownPolicy): readonly string[] {
  return [how === 'never' ? 'never' : `${how}: ${remedy.replace('_', ' ')} where ${percent} % or more is missing`]
}
