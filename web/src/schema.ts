// SPDX-License-Identifier: Apache-2.0
// Help from the JSON Schema: what may stand at a place of a scene.

export interface Schema {
    $ref?: string;
    $defs?: Record<string, Schema>;
    description?: string;
    type?: string | string[];
    enum?: unknown[];
    const?: unknown;
    minimum?: number;
    maximum?: number;
    exclusiveMinimum?: number;
    exclusiveMaximum?: number;
    required?: string[];
    properties?: Record<string, Schema>;
    additionalProperties?: Schema | boolean;
    items?: Schema | boolean;
    prefixItems?: Schema[];
    anyOf?: Schema[];
    oneOf?: Schema[];
    allOf?: Schema[];
    default?: unknown;
}

export class SchemaHelp {
    constructor(private root: Schema) {}

    private resolve(schema: Schema | boolean | undefined): Schema[] {
        if (!schema || typeof schema === "boolean") return [];
        const target = schema.$ref ? this.root.$defs?.[schema.$ref.replace("#/$defs/", "")] : undefined;
        const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap((entry) => this.resolve(entry));
        return [...(target ? this.resolve(target) : []), schema, ...inner];
    }

    /** All schemas that may apply at a path; `kind` of the scene chooses among the scenes. */
    at(keys: (string | number)[], kind: string): Schema[] {
        const fits = (entry: Schema): boolean => !entry.properties?.kind || entry.properties.kind.const === undefined || entry.properties.kind.const === kind;
        let now = this.resolve(this.root).filter(fits);
        for (const key of keys) {
            now = now.flatMap((entry) => {
                if (typeof key === "number") return this.resolve(entry.prefixItems?.[key] ?? entry.items);
                return this.resolve(entry.properties?.[key] ?? (entry.properties && entry.additionalProperties === false ? undefined : entry.additionalProperties));
            });
        }
        return [...new Set(now)];
    }

    members(schemas: Schema[]): string[] { return [...new Set(schemas.flatMap((entry) => Object.keys(entry.properties ?? {})))]; }

    /** One line: what kind of value, in which range. */
    words(schemas: Schema[]): string {
        const said = schemas.flatMap((entry) => {
            if (entry.enum) return [`one of ${entry.enum.map((value) => JSON.stringify(value)).join(", ")}`];
            if (entry.const !== undefined) return [JSON.stringify(entry.const)];
            if (!entry.type) return [];
            const low = entry.minimum !== undefined ? `from ${entry.minimum}` : entry.exclusiveMinimum !== undefined ? `above ${entry.exclusiveMinimum}` : "";
            const high = entry.maximum !== undefined ? `to ${entry.maximum}` : entry.exclusiveMaximum !== undefined ? `below ${entry.exclusiveMaximum}` : "";
            return [[([] as string[]).concat(entry.type).join(" or "), low, high].filter(Boolean).join(" ")];
        });
        return [...new Set(said)].join("; or ");
    }

    description(schemas: Schema[]): string { return schemas.map((entry) => entry.description).filter(Boolean).join(" "); }
}
