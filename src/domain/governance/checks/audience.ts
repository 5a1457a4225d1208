import { containedIn } from '../../normal-text.ts'
import type { GovernedAction } from '../action.ts'
import type { PlanState } from '../decision.ts'
import { lacksContestation, needsHumanReview, resolveRegimes, unknownPolicies } from '../regimes.ts'
import { deny, escalate, note, type Remark } from '../remark.ts'

/** Words that give away targeting by an attribute; the built-in reader has no model of language. */
const SIGNS: Readonly<Record<string, RegExp>> = {
  racial_ethnic_origin: /\b(?:rac(?:e|ial)|ethnic\w*|hispanic|latino|african[- ]american|asian[- ]american)\b/i,
  political_opinions: /\b(?:politic\w*|republicans?|democrats?|conservatives?|liberals?|voters?)\b/i,
  religious_beliefs: /\b(?:religio\w*|christians?|muslims?|jewish|jews|hindus?|buddhists?|church\w*)\b/i,
  trade_union_membership: /\b(?:trade|labou?r) unions?\b/i,
  health_data: /\b(?:health|medical|patients?|disab\w*|diabet\w*|cancer|depress\w*|pregnan\w*|illness\w*)\b/i,
  sex_life_sexual_orientation: /\b(?:sexual\w*|lgbtq?\w*|gay|lesbian)\b/i,
  genetic_data: /\bgenetic\w*\b/i,
  biometric_data: /\bbiometric\w*\b/i,
  age: /\b(?:ages?|aged|adults? \d+|\d{2}\s*[-–]\s*\d{2}|seniors?|millennials?|boomers?|gen[- ]?[xz])\b/i,
  familial_status: /\b(?:famil(?:y|ies)|parents?|mothers?|fathers?|children|pregnan\w*)\b/i,
}

const MINORS = /\b(?:child(?:ren)?|kids?|minors?|under[- ]1[0-8]|teen\w*)\b/i

/** Describing words are matched, not understood. */
const CONFIDENCE = 0.7
const UNCERTAIN = 'the audience was matched by its words'

/** Who is targeted, against what the plan and its regulations forbid; and whether a person has to examine every action. */
export function checkAudience({ plan: { document } }: PlanState, action: GovernedAction): readonly Remark[] {
  const regimes = resolveRegimes(document)
  const said = action.audiences.join('\n')
  const isSaid = containedIn(said)
  const own = document.restricted_attributes ?? []
  const fromRegimes = regimes.flatMap(({ regime }) =>
    regime.restrictedAttributes.map((name) => ({ name, policyId: regime.policyId })),
  )
  const remarks: Remark[] = []
  for (const { name, policyId } of [...own.map((name) => ({ name, policyId: undefined })), ...fromRegimes]) {
    if (!SIGNS[name]?.test(said)) continue
    remarks.push(
      deny(policyId === undefined ? 'audience' : 'regulatory_compliance', `targeting by ${name} is not allowed`, {
        ...(policyId !== undefined && { policyId }),
        confidence: CONFIDENCE,
        uncertaintyReason: UNCERTAIN,
      }),
    )
  }
  for (const attribute of document.restricted_attributes_custom ?? [])
    if (isSaid(attribute.replaceAll('_', ' ')))
      remarks.push(
        deny('audience', `targeting by ${attribute} is not allowed`, { confidence: CONFIDENCE, uncertaintyReason: UNCERTAIN }),
      )
  for (const { regime } of regimes)
    if (regime.noMinors && MINORS.test(said))
      remarks.push(
        deny('regulatory_compliance', 'children may not be targeted', {
          policyId: regime.policyId,
          confidence: CONFIDENCE,
          uncertaintyReason: UNCERTAIN,
        }),
      )
  for (const selector of document.audience?.exclude ?? []) {
    const excluded = selector.type === 'description' ? selector.description : selector.signal_id.id
    if (excluded !== '' && isSaid(excluded))
      remarks.push(
        deny('audience', `the plan excludes the audience "${excluded}"`, {
          confidence: CONFIDENCE,
          uncertaintyReason: UNCERTAIN,
        }),
      )
  }
  if (document.min_audience_size !== undefined && said !== '')
    remarks.push(
      note('audience', 'warning', `it is not stated whether the audience has ${document.min_audience_size} members`, {
        confidence: 0.3,
        uncertaintyReason: 'the size of the segments is not known here',
      }),
    )
  return [...remarks, ...oversight(document, action), ...unread(document)]
}

function oversight(document: PlanState['plan']['document'], action: GovernedAction): readonly Remark[] {
  if (action.phase === 'delivery' || !needsHumanReview(document)) return []
  return [escalate('human_oversight', 'a person has to review every action under this plan'), ...contestation(document)]
}

/** AdCP "Annex III & Article 22 obligations": without a contact, Article 22(3) of the GDPR cannot be met. */
function contestation(document: PlanState['plan']['document']): readonly Remark[] {
  if (!lacksContestation(document)) return []
  return [
    note('regulatory_compliance', 'critical', 'the plan names no contact to whom people can contest a decision about them', {
      details: { code: 'CONTESTATION_MISSING', field: 'brand.data_subject_contestation' },
    }),
  ]
}

function unread(document: PlanState['plan']['document']): readonly Remark[] {
  return unknownPolicies(document).map((policyId) =>
    note('regulatory_compliance', 'warning', `${policyId} is not in the registry of this agent; a person has to judge it`, {
      policyId,
      confidence: 0.1,
      uncertaintyReason: 'the text of the policy is not known here',
    }),
  )
}
