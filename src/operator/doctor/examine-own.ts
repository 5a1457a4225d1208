import { publicOrigin } from '../../config/config.ts'
import type { OperatorContext } from '../operator-context.ts'
import { type ExamineOptions, examineAgent, type Finding, insightOf } from './examine-agent.ts'

/** What an examination found; `healthy`: buyers can reach, trust and verify the agent. */
export interface Examination {
  readonly agent_url: string
  readonly healthy: boolean
  readonly findings: readonly Finding[]
}

/** Examines the agent of this deployment from outside, with what only its own people can see. Never throws for what it finds. */
export async function examineOwnAgent(context: OperatorContext, parseJson: ExamineOptions['parseJson']): Promise<Examination> {
  const agentUrl = `${publicOrigin(context.config)}/mcp`
  const insight = await insightOf(context)
  const findings = await examineAgent(agentUrl, {
    mode: context.config.mode,
    dataFolder: context.config.data,
    insight,
    parseJson,
  })
  return { agent_url: agentUrl, healthy: isHealthy(findings), findings }
}

export function isHealthy(findings: readonly Pick<Finding, 'outcome'>[]): boolean {
  return !findings.some(({ outcome }) => outcome === 'problem')
}
