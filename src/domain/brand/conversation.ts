/** A part of a conversation that every host can show. */
export const STANDARD_COMPONENTS = ['text', 'link', 'image', 'product_card', 'carousel', 'action_button'] as const
export type StandardComponent = (typeof STANDARD_COMPONENTS)[number]

/** What one side can do in a conversation, or both (AdCP sponsored-intelligence/si-capabilities.json). */
export interface ConversationCapabilities {
  modalities?: { conversational?: boolean; voice?: boolean | object; video?: boolean | object; avatar?: boolean | object }
  components?: { standard?: StandardComponent[] }
  commerce?: { acp_checkout?: boolean }
  a2ui?: { supported?: boolean }
  mcp_apps?: boolean
}
