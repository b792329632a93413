import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser'
import { expect, test } from 'vitest'
import en from './en.json'
import { languages, type Language } from './languages'

const placeholders = (elements: MessageFormatElement[]): string[] =>
  elements.flatMap((element) => {
    if (element.type === TYPE.literal || element.type === TYPE.pound) return []
    if (element.type === TYPE.plural || element.type === TYPE.select)
      return [element.value, ...Object.values(element.options).flatMap((option) => placeholders(option.value))]
    return element.type === TYPE.tag ? [element.value, ...placeholders(element.children)] : [element.value]
  })

const names = (message: string) => [...new Set(placeholders(parse(message)))].sort()

test.each(Object.keys(languages) as Language[])('%s has every text, with the same placeholders', async (language) => {
  const { default: messages } = await languages[language].load()
  expect(Object.keys(messages)).toEqual(Object.keys(en))
  for (const [key, text] of Object.entries(messages)) {
    expect(names(text), key).toEqual(names(en[key as keyof typeof en]))
  }
})
