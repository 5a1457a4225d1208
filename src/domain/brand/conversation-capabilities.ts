import { type ConversationCapabilities, STANDARD_COMPONENTS } from './conversation.ts'

/** What this agent can do in a conversation (AdCP sponsored-intelligence/si-capabilities.json): text and standard components. */
export function ownCapabilities(checkout: boolean): ConversationCapabilities {
  return {
    modalities: { conversational: true, voice: false, video: false, avatar: false },
    components: { standard: [...STANDARD_COMPONENTS] },
    commerce: { acp_checkout: checkout },
    a2ui: { supported: false },
    mcp_apps: false,
  }
}

/** What both sides can do. A host that does not list components has the standard ones, which all hosts must render. */
export function negotiate(host: ConversationCapabilities | undefined, checkout: boolean): ConversationCapabilities {
  const own = ownCapabilities(checkout)
  if (!host) return own
  const standard = host.components?.standard
  return {
    ...own,
    modalities: { ...own.modalities, conversational: host.modalities?.conversational !== false },
    components: { standard: STANDARD_COMPONENTS.filter((component) => standard?.includes(component) ?? true) },
    commerce: { acp_checkout: checkout && host.commerce?.acp_checkout === true },
  }
}
