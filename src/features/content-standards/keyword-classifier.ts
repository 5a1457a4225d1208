import type { Artifact } from '../../domain/content-standards/artifact.ts'
import type { Exemplars } from '../../domain/content-standards/content-standards.ts'
import type { ArtifactAssessment, PolicyAssessment } from '../../domain/content-standards/judge.ts'
import type { Policy } from '../../domain/policy.ts'
import { inTurns, yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import { type ArtifactText, readText, textOf, wordsOf } from './artifact-text.ts'
import type { ContentClassifier } from './content-classifier.ts'
import { ForbiddenIndex } from './forbidden-index.ts'
import { type Forbidden, type PolicyRules, readPolicy } from './policy-rules.ts'

/** Share of common words from which two texts count as the same content with small edits. */
const NEARLY_THE_SAME = 0.8
/** Artifacts between two turns of the event loop: each takes some hundred microseconds. */
const AT_ONCE = 20
/** A scenario of a policy is a short description of its own; half of its words are a likeness. */
const LIKE_THE_SCENARIO = 0.5

/**
 * The default classifier: word lists and a few structural checks, no model and no network. Deterministic. It judges what text says of the
 * content, never pixels or sound, and leaves a policy that it cannot read unjudged.
 */
export function createKeywordClassifier(): ContentClassifier {
  return {
    name: 'keyword rules',
    description:
      'Built-in keyword rules: policies in plain English are read for what they forbid or require and held against the words of the artifact. Images, video and sound are judged by their texts and names only.',
    async assess(artifacts, policies, exemplars) {
      const rules = policies.map(readRules)
      const index = new ForbiddenIndex(rules.map(({ forbidden }) => forbidden))
      const examples = exampleWords(exemplars)
      const addresses = addressesIn(exemplars)
      const assessments: ArtifactAssessment[] = []
      for (const artifact of artifacts) {
        const text = await inTurns(readText(artifact))
        const [said, named] = [index.firstIn(text.said), index.firstIn(text.named)]
        assessments.push({
          policies: rules.map((read, at) => assessPolicy(read, artifact, text, { said: said.get(at), named: named.get(at) })),
          likeExemplar: atAddress(artifact, addresses) ?? nearest(new Set([...text.said, ...text.named]), examples),
        })
        if (assessments.length % AT_ONCE === 0) await yieldToEventLoop()
      }
      return assessments
    },
  }
}

/** A policy as it is read, once for all artifacts. */
interface ReadPolicy extends PolicyRules {
  readonly policyId: string
  /** Words of the scenarios that it rejects. */
  readonly scenarios: readonly ReadonlySet<string>[]
}

function readRules({ policy_id: policyId, policy, exemplars }: Policy): ReadPolicy {
  return { policyId, ...readPolicy(policy), scenarios: (exemplars?.fail ?? []).map(({ scenario }) => wordsOf(scenario)) }
}

/** What a policy forbids that the texts of an artifact have, and its names and addresses. */
interface Found {
  readonly said: Forbidden | undefined
  readonly named: Forbidden | undefined
}

function assessPolicy(rules: ReadPolicy, artifact: Artifact, text: ArtifactText, { said, named }: Found): PolicyAssessment {
  const answer = (outcome: PolicyAssessment['outcome'], confidence: number, explanation: string): PolicyAssessment => ({
    policyId: rules.policyId,
    outcome,
    confidence,
    explanation,
  })
  if (rules.scenarios.some((words) => likeness(words, text.said) >= LIKE_THE_SCENARIO))
    return answer('violated', 0.7, 'like a scenario that the policy rejects')
  const missing = rules.required.find(({ isMissing }) => isMissing(artifact))
  if (missing) return answer('violated', 1, missing.explanation)
  if (said) return answer('violated', 0.9, `the text speaks of ${said.name}`)
  if (named) return answer('violated', 0.6, `a name or an address speaks of ${named.name}`)
  if (rules.forbidden.length === 0) {
    return rules.required.length > 0
      ? answer('met', 1, 'everything required is there')
      : answer('unjudged', 0, 'the built-in rules cannot judge this policy')
  }
  if (text.said.size === 0) return answer('unjudged', 0, 'the artifact has no text to judge by')
  return answer('met', 0.7, 'nothing that the policy forbids was found in the text')
}

interface Example {
  readonly kind: 'pass' | 'fail'
  readonly words: ReadonlySet<string>
}

function exampleWords({ pass = [], fail = [] }: Exemplars): Example[] {
  const read = (kind: Example['kind']) => (artifact: Artifact) => {
    const { said, named } = textOf(artifact)
    return { kind, words: new Set([...said, ...named]) }
  }
  // A failing example wins over a passing one that is as near.
  return [...fail.map(read('fail')), ...pass.map(read('pass'))]
}

interface Addresses {
  readonly pass: ReadonlySet<string>
  readonly fail: ReadonlySet<string>
}

function addressesIn({ passUrls = [], failUrls = [] }: Exemplars): Addresses {
  return { pass: new Set(passUrls.map(normal)), fail: new Set(failUrls.map(normal)) }
}

/** What was said of the page at the artifact's own address; a failing example wins. */
function atAddress({ url }: Artifact, { pass, fail }: Addresses): 'pass' | 'fail' | undefined {
  if (url === undefined) return undefined
  if (fail.has(normal(url))) return 'fail'
  return pass.has(normal(url)) ? 'pass' : undefined
}

function normal(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}

function nearest(words: ReadonlySet<string>, examples: readonly Example[]): 'pass' | 'fail' | undefined {
  let best: { kind: 'pass' | 'fail'; likeness: number } | undefined
  for (const example of examples) {
    const value = likeness(example.words, words)
    if (value >= NEARLY_THE_SAME && value > (best?.likeness ?? 0)) best = { kind: example.kind, likeness: value }
  }
  return best?.kind
}

/** Jaccard index of two sets of words: common ones among all. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0
  let common = 0
  for (const word of a) if (b.has(word)) common += 1
  return common / (a.size + b.size - common)
}
