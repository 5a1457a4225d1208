import type { Asset } from '../../domain/creative/assets.ts'
import { codeOf, hostsOf, MOST_HOSTS, SIGNS, signsIn } from '../../domain/creative/features/code.ts'
import type { CreativeFeature, FeatureValue } from '../../domain/creative/features/feature.ts'
import { giveWay, inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import type { CreativeEvaluator, EvaluationJob } from './creative-evaluator.ts'

type Value = Pick<FeatureValue, 'value' | 'confidence' | 'evidence'>

interface Rule extends CreativeFeature {
  /** Undefined where the feature does not apply. */
  evaluate(job: EvaluationJob): Value | undefined | Promise<Value>
}

/** Static reading of code can miss what it does: finding nothing is less certain than finding something. */
const FOUND = 0.95
const NOT_FOUND = 0.7

/** An evaluator of fixed rules over what the manifest itself holds; it fetches nothing. */
export function createRuleEvaluator(): CreativeEvaluator {
  return {
    name: 'rule-evaluator',
    description:
      'Fixed rules over the assets of the manifest: what code says it does, where addresses lead, what accessibility and provenance it states. Files are ' +
      'not fetched, images and videos not examined, scripts not run.',
    version: '1',
    features: RULES.map(({ evaluate: _evaluate, ...feature }) => feature),
    async evaluate(job, featureIds) {
      const values: FeatureValue[] = []
      for (const { id, unit, evaluate } of RULES.filter((rule) => featureIds.has(rule.id))) {
        // Each reads all code, which may be as long as a call may be.
        await giveWay()
        const found = await evaluate(job)
        if (found) values.push({ featureId: id, unit, ...found })
      }
      return values
    },
  }
}

/** A binary feature of code: true where one of the signs is there. */
function sign(id: string, description: string, signs: (typeof SIGNS)[keyof typeof SIGNS]): Rule {
  return {
    id,
    type: 'binary',
    description,
    evaluate({ assets }) {
      const evidence = signsIn(codeOf(assets), signs)
      const tagged = Object.values(assets).some((asset) => asset?.asset_type === 'javascript')
      const value = evidence.length > 0 || (id === 'script' && tagged)
      return { value, confidence: value ? FOUND : NOT_FOUND, ...(evidence.length > 0 && { evidence }) }
    },
  }
}

const RULES: readonly Rule[] = [
  {
    id: 'format_valid',
    type: 'binary',
    description: 'The assets satisfy every stated requirement of the format.',
    evaluate({ findings }) {
      if (!findings) return undefined
      const errors = findings.filter(({ severity }) => severity === 'error')
      const evidence = errors.map(({ field, message }) => `${field} ${message}`)
      return { value: errors.length === 0, confidence: 1, ...(evidence.length > 0 && { evidence }) }
    },
  },
  sign('auto_redirect', 'Code takes the reader elsewhere without a click.', SIGNS.redirect),
  sign('popup', 'Code opens windows or dialogs.', SIGNS.popup),
  sign('client_storage', 'Code reads or writes what the browser stores.', SIGNS.storage),
  sign('dynamic_code', 'Code is made or written at run time, so that it cannot be read beforehand.', SIGNS.dynamic),
  sign('script', 'The creative runs scripts.', SIGNS.script),
  {
    id: 'secure_delivery',
    type: 'binary',
    description: 'Every address that the creative loads or calls is https.',
    evaluate({ assets }) {
      const plain = Object.entries(assets).filter(([, asset]) => asset && addressOf(asset)?.startsWith('http:'))
      const inCode = /http:\/\/(?!www\.w3\.org|www\.iab\.com)/i.test(codeOf(assets)) ? ['code'] : []
      const evidence = [...plain.map(([id]) => `assets.${id}`), ...inCode].map((place) => `${place} is not https`)
      return { value: evidence.length === 0, confidence: 1, ...(evidence.length > 0 && { evidence }) }
    },
  },
  {
    id: 'external_hosts',
    type: 'quantitative',
    description: 'Number of hosts that the creative loads from or leads to.',
    range: { min: 0, max: MOST_HOSTS },
    unit: 'hosts',
    async evaluate({ assets }) {
      const hosts = await inTurns(hostsOf(assets))
      return {
        value: hosts.length,
        confidence: codeOf(assets) === '' ? 1 : NOT_FOUND,
        evidence: hosts.slice(0, 50),
      }
    },
  },
  {
    id: 'markup_weight',
    type: 'quantitative',
    description: 'Size of the code of the creative, without what it loads.',
    range: { min: 0, max: 100_000 },
    unit: 'kilobytes',
    evaluate: ({ assets }) => ({ value: Math.ceil(Buffer.byteLength(codeOf(assets)) / 102.4) / 10, confidence: 1 }),
  },
  {
    id: 'accessible',
    type: 'binary',
    description: 'Pictures have alternative texts, films captions, sounds transcripts, and code says how it can be used.',
    async evaluate({ assets }) {
      const evidence: string[] = []
      for (const [id, asset] of Object.entries(assets)) {
        await giveWay()
        if (asset && isInaccessible(asset)) evidence.push(`assets.${id} has no alternative`)
      }
      return { value: evidence.length === 0, confidence: 0.8, ...(evidence.length > 0 && { evidence }) }
    },
  },
  {
    id: 'ai_involvement',
    type: 'categorical',
    description: 'How far models took part in making it, as its provenance declares.',
    categories: ['none', 'partial', 'full', 'undeclared'],
    evaluate({ sourceType }) {
      return { value: involvementOf(sourceType), confidence: sourceType === undefined ? 1 : 0.6 }
    },
  },
  {
    id: 'ai_disclosure_present',
    type: 'binary',
    description: 'Content that models took part in declares which disclosures it owes.',
    evaluate({ sourceType, disclosed }) {
      const involved = ['partial', 'full'].includes(involvementOf(sourceType))
      return involved ? { value: disclosed, confidence: 1 } : undefined
    },
  },
]

function addressOf(asset: Asset): string | undefined {
  return 'url' in asset && typeof asset.url === 'string' ? asset.url.toLowerCase() : undefined
}

function isInaccessible(asset: Asset): boolean {
  switch (asset.asset_type) {
    case 'image':
      return !asset.alt_text
    case 'video':
      return !asset.captions_url && !asset.transcript_url
    case 'audio':
      return !asset.transcript_url
    case 'html':
      return !asset.accessibility && hasImageWithoutAlt(asset.content)
    case 'javascript':
      return !asset.accessibility
    default:
      return false
  }
}

/** Whether an `<img` has no `alt` before its `>`. */
function hasImageWithoutAlt(html: string): boolean {
  const [, ...tags] = html.split(/<img/i)
  return tags.some((tag) => !/\balt=/i.test(tag.split('>', 1)[0] ?? ''))
}

/** IPTC digital source types, grouped by the part that models had. */
function involvementOf(sourceType: string | undefined): string {
  switch (sourceType) {
    case undefined:
      return 'undeclared'
    case 'trained_algorithmic_media':
    case 'algorithmic_media':
      return 'full'
    case 'composite_with_trained_algorithmic_media':
    case 'composite_synthetic':
    case 'data_driven_media':
      return 'partial'
    default:
      return 'none'
  }
}
